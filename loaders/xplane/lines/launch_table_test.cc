#include "loaders/xplane/lines/launch_table.h"

#include <cstdint>
#include <limits>

#include "gtest/gtest.h"

namespace tfprof::xplane {
namespace {

constexpr uint64_t kLargest = std::numeric_limits<uint64_t>::max();

Launch InStep(int64_t step) { return {.end = {}, .step = step}; }

TEST(LaunchTableTest, FindsDenseIds) {
  LaunchTable table;
  for (uint64_t id = 7; id < 5000; id += 2) {
    table.Add(id, InStep(static_cast<int64_t>(id)));
  }
  ASSERT_NE(table.Find(4999), nullptr);
  EXPECT_EQ(table.Find(4999)->step, 4999);
  EXPECT_EQ(table.Find(7)->step, 7);
  EXPECT_EQ(table.Find(8), nullptr);
  EXPECT_EQ(table.Find(6), nullptr);
  EXPECT_EQ(table.Find(5001), nullptr);
  EXPECT_EQ(table.Find(kLargest), nullptr);
}

TEST(LaunchTableTest, FindsIdsFarApart) {
  LaunchTable table;
  table.Add(kLargest, InStep(1));
  table.Add(0, InStep(2));
  EXPECT_EQ(table.Find(kLargest)->step, 1);
  EXPECT_EQ(table.Find(0)->step, 2);
  EXPECT_EQ(table.Find(1), nullptr);
}

TEST(LaunchTableTest, TheFirstOfOneIdCounts) {
  LaunchTable table;
  table.Add(5, InStep(1));
  table.Add(5, InStep(2));
  EXPECT_EQ(table.Find(5)->step, 1);
  table.Add(kLargest, InStep(3));
  table.Add(kLargest, InStep(4));
  EXPECT_EQ(table.Find(5)->step, 1);
  EXPECT_EQ(table.Find(kLargest)->step, 3);
}

TEST(LaunchTableTest, HasNothingAtFirst) {
  LaunchTable table;
  EXPECT_EQ(table.Find(0), nullptr);
}

}  // namespace
}  // namespace tfprof::xplane
