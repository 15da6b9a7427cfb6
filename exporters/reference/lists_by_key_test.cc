#include "exporters/reference/lists_by_key.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::exporters {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ListsByKeyTest, AListHasTheValuesOfItsKeyInTheirOrder) {
  const ListsByKey<std::string> lists(
      4, {{2, "a"}, {0, "b"}, {2, "c"}, {3, "d"}, {2, "a"}});
  EXPECT_THAT(lists[0], ElementsAre("b"));
  EXPECT_THAT(lists[1], IsEmpty());
  EXPECT_THAT(lists[2], ElementsAre("a", "c", "a"));
  EXPECT_THAT(lists[3], ElementsAre("d"));
}

TEST(ListsByKeyTest, WithoutPairsAllListsAreEmpty) {
  const ListsByKey<int> lists(2, {});
  EXPECT_THAT(lists[0], IsEmpty());
  EXPECT_THAT(lists[1], IsEmpty());
}

}  // namespace
}  // namespace tfprof::exporters
