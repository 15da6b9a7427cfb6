#include "advisor/evidence.h"

#include "gtest/gtest.h"
#include "re2/re2.h"

namespace tfprof::advisor {
namespace {

TEST(NamePatternTest, KeepsPlainCharactersOnly) {
  EXPECT_EQ(NamePattern("a/b_1-c:0"), "a/b_1-c:0");
  EXPECT_EQ(NamePattern("a b,'(c)*"), "a.*b.*c.*");
  EXPECT_EQ(NamePattern("bn.weight"), "bn.*weight");
  EXPECT_EQ(NamePattern("\xff\n$(rm)"), ".*rm.*");
  EXPECT_EQ(NamePattern(""), "");
}

// Each run of other characters matches any text.
TEST(NamePatternTest, MatchesItsName) {
  for (const char* name : {"a/b_1-c:0", "x (copy) +1", "{[]}^$|?*\\", "ä"}) {
    EXPECT_TRUE(RE2::FullMatch(name, NamePattern(name))) << name;
  }
}

}  // namespace
}  // namespace tfprof::advisor
