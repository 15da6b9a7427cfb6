#include "util/text/name_match.h"

#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

TEST(NameMatchTest, APartInAnyCase) {
  EXPECT_TRUE(NameMatches("aten::addmm", "MM"));
  EXPECT_TRUE(NameMatches("aten::addmm", ""));
  EXPECT_FALSE(NameMatches("aten::addmm", "mn"));
  // A dot is a dot.
  EXPECT_FALSE(NameMatches("fusion1", "n.1"));
}

TEST(NameMatchTest, WildcardsMatchWholeNames) {
  EXPECT_TRUE(NameMatches("aten::addmm", "*mm"));
  EXPECT_TRUE(NameMatches("aten::addmm", "*D*m"));
  EXPECT_TRUE(NameMatches("aten::addmm", "aten::?ddmm"));
  EXPECT_FALSE(NameMatches("aten::addmm", "add*"));
  EXPECT_FALSE(NameMatches("aten::addmm", "*add"));
}

TEST(NameMatchTest, Patterns) {
  EXPECT_EQ(PatternOfName("a.b::c_1"), "a\\.b\\:\\:c_1");
  EXPECT_EQ(PatternOfPart("a.b"), "(?is).*a\\.b.*");
  EXPECT_EQ(PatternOfPart("*mm?"), "(?is).*mm.");
}

}  // namespace
}  // namespace tfprof::util
