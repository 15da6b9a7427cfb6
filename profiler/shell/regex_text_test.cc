#include "profiler/shell/regex_text.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"

namespace tfprof {
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

}  // namespace
}  // namespace tfprof
