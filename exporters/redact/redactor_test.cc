#include "exporters/redact/redactor.h"

#include <string>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::exporters {
namespace {
namespace redactor_test {

constexpr std::string_view kToken = "hf_Ex4mpl3N0tR3alEx4mpl3N0tR3alEx4mpl3N0t";

TEST(RedactorTest, EqualSecretsHaveEqualReplacements) {
  Redactor redactor;
  EXPECT_EQ(redactor.Text("/home/ann/a.py"), "/home/user1/a.py");
  EXPECT_EQ(redactor.Text("/home/bob:/home/ann"), "/home/user2:/home/user1");
  const std::string token(kToken);
  EXPECT_EQ(redactor.Text("a " + token + " b"), "a [token 1] b");
  EXPECT_EQ(redactor.Text(token), "[token 1]");
  EXPECT_EQ(redactor.Text("x"), std::nullopt);
  EXPECT_EQ(redactor.found(PrivateKind::kUser).count, 3);
  EXPECT_EQ(redactor.found(PrivateKind::kUser).example, "a…");
  EXPECT_EQ(redactor.found(PrivateKind::kToken).count, 2);
  EXPECT_EQ(redactor.total(), 5);
}

TEST(RedactorTest, FieldsHaveMeanings) {
  Redactor redactor;
  EXPECT_EQ(redactor.Field(FieldMeaning::kVariable, "/usr/bin"), "[removed]");
  EXPECT_EQ(redactor.Field(FieldMeaning::kVariables, "A=b=c"), "A=[removed]");
  EXPECT_EQ(redactor.Field(FieldMeaning::kVariables, "A="), std::nullopt);
  EXPECT_EQ(redactor.Field(FieldMeaning::kCommandLine, "python"), "[removed]");
  EXPECT_EQ(redactor.Field(FieldMeaning::kHost, "node7.lan"), "host1");
  EXPECT_EQ(redactor.Field(FieldMeaning::kHost, "localhost"), std::nullopt);
  EXPECT_EQ(redactor.Field(FieldMeaning::kHost, "12"), std::nullopt);
  EXPECT_EQ(redactor.Field(FieldMeaning::kSecret, "s3cr3tw0rd"),
            "[password 1]");
  EXPECT_EQ(redactor.Field(FieldMeaning::kSecret, "attention"), std::nullopt);
  EXPECT_EQ(redactor.Field(FieldMeaning::kText, ""), std::nullopt);
}

TEST(RedactorTest, HostsAreReplacedInTextsOnceTheyAreKnown) {
  Redactor redactor;
  redactor.Field(FieldMeaning::kHost, "node7");
  redactor.Field(FieldMeaning::kHost, "node7.lan");
  EXPECT_EQ(redactor.Text("at node7.lan"), std::nullopt);
  redactor.CountAgain();
  EXPECT_EQ(redactor.total(), 0);
  EXPECT_EQ(redactor.Text("at node7.lan, node7:1, node71"),
            "at host2, host1:1, node71");
  EXPECT_EQ(redactor.found(PrivateKind::kHost).count, 2);
}

// What was redacted stays as it is.
TEST(RedactorTest, RedactedTextsAreNoSecrets) {
  const std::vector<std::string> texts = {"/home/ann/x",
                                          "C:\\Users\\ann\\x",
                                          "a@b.example.org",
                                          std::string(kToken),
                                          "https://a:b1@c.de/x",
                                          "API_KEY=abcdefgh12",
                                          "Bearer abcdefgh12345678",
                                          "-----BEGIN PRIVATE KEY-----\nx"};
  for (const std::string& text : texts) {
    Redactor first, second;
    const std::optional<std::string> once = first.Text(text);
    ASSERT_TRUE(once) << text;
    EXPECT_EQ(second.Text(*once), std::nullopt) << *once;
  }
  for (const FieldMeaning meaning :
       {FieldMeaning::kVariable, FieldMeaning::kVariables,
        FieldMeaning::kCommandLine, FieldMeaning::kHost,
        FieldMeaning::kSecret}) {
    Redactor first, second;
    const std::optional<std::string> once = first.Field(meaning, "A=secret12");
    ASSERT_TRUE(once);
    EXPECT_EQ(second.Field(meaning, *once), std::nullopt) << *once;
  }
}

TEST(RedactorTest, Counts) {
  EXPECT_EQ(CountOf(PrivateKind::kEmail, 2), "2 e-mail addresses");
  EXPECT_EQ(CountOf(PrivateKind::kUser, 1), "1 user name");
  EXPECT_EQ(CountOf(PrivateKind::kCommandLine, 2), "2 words of a command line");
}

}  // namespace redactor_test
}  // namespace
}  // namespace tfprof::exporters
