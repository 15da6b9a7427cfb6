#include "profile/counters.h"

#include "gtest/gtest.h"

namespace tfprof {
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

}  // namespace
}  // namespace tfprof
