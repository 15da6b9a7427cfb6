#include "util/text/by_address.h"

#include <map>
#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::util {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

TEST(ByAddressTest, EqualTextsAtTwoAddressesHaveTwoValues) {
  const std::string a = "copy", b = "copy";
  ByAddress<int> sums;
  for (const std::string* name : {&a, &a, &b}) ++*sums.At(*name).first;
  std::multimap<std::string_view, int> found;
  sums.ForEach(
      [&](std::string_view name, int sum) { found.emplace(name, sum); });
  EXPECT_EQ(found.size(), 2);
  EXPECT_EQ(found.begin()->second + found.rbegin()->second, 3);
}

TEST(ByAddressTest, ATextAndItsBeginningHaveTwoValues) {
  const std::string_view name = "copy.1";
  ByAddress<int> sums;
  EXPECT_TRUE(sums.At(name).second);
  EXPECT_FALSE(sums.At(name).second);
  EXPECT_TRUE(sums.At(name.substr(0, 4)).second);
}

TEST(ByAddressTest, ANewValueIsZero) {
  ByAddress<int> sums;
  EXPECT_EQ(*sums.At("").first, 0);
}

}  // namespace
}  // namespace tfprof::util
