#include "loaders/xplane/planes/id_table.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::xplane {
namespace {

TEST(IdTableTest, NumbersIdsInTheirOrder) {
  const IdTable table(std::vector<int64_t>{5, 3, 4});
  EXPECT_EQ(table.Find(5), 0u);
  EXPECT_EQ(table.Find(3), 1u);
  EXPECT_EQ(table.Find(4), 2u);
  EXPECT_EQ(table.Find(2), profile::kNone);
  EXPECT_EQ(table.Find(6), profile::kNone);
}

TEST(IdTableTest, TakesAnyIds) {
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  const IdTable table(std::vector<int64_t>{kHigh, -1, kLow, 0});
  EXPECT_EQ(table.Find(kHigh), 0u);
  EXPECT_EQ(table.Find(-1), 1u);
  EXPECT_EQ(table.Find(kLow), 2u);
  EXPECT_EQ(table.Find(0), 3u);
  EXPECT_EQ(table.Find(1), profile::kNone);
}

TEST(IdTableTest, OfEqualIdsTheLastCounts) {
  EXPECT_EQ(IdTable(std::vector<int64_t>{7, 7}).Find(7), 1u);
  EXPECT_EQ(IdTable(std::vector<int64_t>{1 << 30, 7, 7}).Find(7), 2u);
}

TEST(IdTableTest, AnEmptyTableHasNothing) {
  EXPECT_EQ(IdTable().Find(0), profile::kNone);
  EXPECT_EQ(IdTable(std::vector<int64_t>{}).Find(0), profile::kNone);
}

}  // namespace
}  // namespace tfprof::xplane
