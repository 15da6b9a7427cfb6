#include "views/regex_list.h"

#include <string>

#include "gtest/gtest.h"

namespace tfprof::views {
namespace {

TEST(RegexListTest, AnchoredAtBothEnds) {
  const RegexList list({"conv", "a|b"});
  EXPECT_TRUE(list.Matches("conv"));
  EXPECT_FALSE(list.Matches("conv1"));
  EXPECT_FALSE(list.Matches("1conv"));
  EXPECT_TRUE(list.Matches("b"));
  EXPECT_FALSE(list.Matches("ab"));  // not ^a|b$
  EXPECT_TRUE(list.Matches(1, "a"));
  EXPECT_FALSE(list.Matches(0, "a"));
}

TEST(RegexListTest, DotIsNoNewline) {
  EXPECT_FALSE(RegexList({"a.*"}).Matches("a\nb"));
  EXPECT_TRUE(RegexList({"(?s)a.*"}).Matches("a\nb"));
  // The list [".*"] is a shortcut that also matches newlines.
  EXPECT_TRUE(RegexList({".*"}).Matches("a\nb"));
  EXPECT_FALSE(RegexList({".*", "x"}).Matches("a\nb"));
}

TEST(RegexListTest, EverythingAndNothing) {
  EXPECT_TRUE(RegexList({".*"}).matches_all());
  EXPECT_FALSE(RegexList({".*", ".*"}).matches_all());
  EXPECT_TRUE(RegexList({".*", ".*"}).Matches("x"));
  EXPECT_TRUE(RegexList({}).empty());
  EXPECT_FALSE(RegexList({}).Matches("x"));
  EXPECT_TRUE(RegexList({""}).Matches(""));
  EXPECT_FALSE(RegexList({""}).Matches("x"));
}

TEST(RegexListTest, APatternThatDoesNotCompileMatchesNothing) {
  const RegexList list({"(", "good", "*"});
  EXPECT_EQ(list.size(), 3u);
  EXPECT_FALSE(list.Matches("("));
  EXPECT_FALSE(list.Matches("*"));
  EXPECT_TRUE(list.Matches("good"));
  EXPECT_FALSE(list.Matches(0, "("));
  EXPECT_NE(RegexError("("), "");
  EXPECT_NE(RegexError("(?=x)"), "");
  EXPECT_EQ(RegexError("good"), "");
}

TEST(RegexListTest, LinearForAnyPattern) {
  const RegexList list({"(a*)*b", "(a|aa)+c"});
  EXPECT_FALSE(list.Matches(std::string(200000, 'a')));
}

TEST(RegexListTest, NumbersThePatterns) {
  const RegexList list({"a.*", "(", ".*b"});
  EXPECT_EQ(list.size(), 3u);
  EXPECT_FALSE(list.empty());
  EXPECT_TRUE(list.Matches(0, "ab"));
  EXPECT_FALSE(list.Matches(1, "("));
  EXPECT_TRUE(list.Matches(2, "ab"));
  EXPECT_FALSE(list.Matches(2, "a"));
}

TEST(RegexListTest, NamesMayHaveAnyBytes) {
  const std::string zero("a\0b", 3);
  EXPECT_TRUE(RegexList({"a.b"}).Matches(zero));
  EXPECT_TRUE(RegexList({"a\\x{00}b"}).Matches(zero));
  // Bytes that are not UTF-8 match no character and cause no error.
  EXPECT_FALSE(RegexList({"a"}).Matches("\xff"));
  EXPECT_TRUE(RegexList({".*"}).Matches("\xff"));
}

}  // namespace
}  // namespace tfprof::views
