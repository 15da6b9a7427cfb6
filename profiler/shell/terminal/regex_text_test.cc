#include "profiler/shell/terminal/regex_text.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "re2/re2.h"

namespace tfprof::shell {
namespace {

TEST(RegexTextTest, NamesMatchThemselvesOnly) {
  EXPECT_EQ(RegexOfName("resnet/unit_1"), "resnet/unit_1");
  EXPECT_EQ(RegexOfName("train.py:3:<module>"), "train\\.py:3:<module>");
  EXPECT_EQ(RegexOfName("a+b (c)"), "a\\+b\\x20\\(c\\)");
  EXPECT_EQ(RegexOfName("a,b'c\x1b"), "a\\x2cb\\x27c\\x1b");
  EXPECT_EQ(RegexOfName("日本\xff"), "日本.");
}

TEST(RegexTextTest, AndBack) {
  for (const std::string name :
       {"resnet/unit_1", "train.py:3:<module>", "a+b (c)", "a,b'c\x1b", "日本",
        "#x\\y", "^a|b$"}) {
    EXPECT_EQ(NameOfRegex(RegexOfName(name)), name);
  }
  EXPECT_EQ(NameOfRegex("train.py"), "train.py");
  EXPECT_EQ(NameOfRegex("a\\"), "a");
  EXPECT_EQ(NameOfRegex("\\xe9"), "é");
  for (const char* regex :
       {"a*", ".*a", "a|b", "[ab]", "\\d", "\\x1", "\\xgg"}) {
    EXPECT_EQ(NameOfRegex(regex), std::nullopt) << regex;
  }
}

TEST(RegexTextTest, TheExpressionMatchesTheNameAlone) {
  for (const std::string name :
       {"a.b", "x*", "(a|b)", "[0]", "{2}", "^$", "a\\b", "tab\there"}) {
    const RE2 regex(RegexOfName(name));
    ASSERT_TRUE(regex.ok()) << name;
    EXPECT_TRUE(RE2::FullMatch(name, regex)) << name;
    EXPECT_FALSE(RE2::FullMatch(name + "x", regex)) << name;
  }
  EXPECT_FALSE(RE2::FullMatch("axb", RegexOfName("a.b")));
}

TEST(RegexTextTest, AnExpressionIsOneElementOfAList) {
  for (const std::string name : {"a,b", "a b", "'a'", "\"", "# a"}) {
    const std::string regex = RegexOfName(name);
    EXPECT_EQ(regex.find_first_of(" ,'\""), regex.npos) << regex;
  }
  EXPECT_EQ(RegexOfName(""), "");
}

TEST(RegexTextTest, AnUnfinishedEscapeIsNotPartOfTheName) {
  EXPECT_EQ(NameOfRegex(""), "");
  EXPECT_EQ(NameOfRegex("net\\.v2\\"), "net.v2");
  // \x needs both digits.
  EXPECT_EQ(NameOfRegex("a\\x"), std::nullopt);
  EXPECT_EQ(NameOfRegex("a\\x2"), std::nullopt);
  EXPECT_EQ(NameOfRegex("a\\x2c"), "a,");
}

TEST(CharacterSizeTest, IsTheNumberOfBytes) {
  EXPECT_EQ(CharacterSize("a"), 1u);
  EXPECT_EQ(CharacterSize("\n"), 1u);
  EXPECT_EQ(CharacterSize("é!"), 2u);
  EXPECT_EQ(CharacterSize("日本"), 3u);
  EXPECT_EQ(CharacterSize("\xf0\x9f\x98\x80"), 4u);
  EXPECT_EQ(CharacterSize(""), 0u);
}

TEST(CharacterSizeTest, BytesThatAreNotUtf8HaveNone) {
  for (const std::string bytes : {
           "\x80",              // a continuation alone
           "\xc3",              // cut off
           "\xe6\x97",          // cut off
           "\xc0\xaf",          // too long for '/'
           "\xe0\x80\xaf",      // too long
           "\xf0\x80\x80\xaf",  // too long
           "\xed\xa0\x80",      // a surrogate
           "\xf4\x90\x80\x80",  // beyond U+10FFFF
           "\xff",
       }) {
    EXPECT_EQ(CharacterSize(bytes), 0u) << testing::PrintToString(bytes);
  }
}

}  // namespace
}  // namespace tfprof::shell
