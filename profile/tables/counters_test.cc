#include "profile/tables/counters.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

TEST(CountersTest, ByDefaultACounterIsALevelOfAWholeProcess) {
  const Counter counter;
  EXPECT_EQ(counter.lane, kNone);
  EXPECT_EQ(counter.kind, Counter::Kind::kLevel);
  EXPECT_EQ(counter.size(), 0u);
  EXPECT_EQ(counter.bytes(), 0u);
}

TEST(CountersTest, BytesCountTimesAndValues) {
  Counter counter;
  counter.time = IntColumn({1'000'000, 1'000'100, 1'000'255});
  counter.value = {1, 2, 0.5};
  EXPECT_EQ(counter.size(), 3u);
  EXPECT_EQ(counter.bytes(), 3 * (1 + sizeof(double)));
}

TEST(CountersTest, ACopySharesItsTimes) {
  Counter counter;
  counter.name = 3;
  counter.time = IntColumn(std::vector<int64_t>{1, 2});
  counter.value = {0.5, -0.5};
  const Counter copy = counter;
  counter.time = IntColumn();
  EXPECT_EQ(copy.name, 3u);
  EXPECT_EQ(copy.time[1], 2);
  EXPECT_EQ(copy.value[1], -0.5);
}

}  // namespace
}  // namespace tfprof::profile
