#include "profile/time_column.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof {
namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TimeColumn Column(const std::vector<int64_t>& ticks, int64_t nanos_per_tick) {
  return TimeColumn(IntColumn(ticks), nanos_per_tick);
}

TEST(TimeColumnTest, MicrosecondsOfAFileAreExact) {
  const std::vector<int64_t> ticks = {kMin, -1, 0, 1, 1500000000000000, kMax};
  const TimeColumn column = Column(ticks, kNanosPerMicro);
  for (size_t i = 0; i < ticks.size(); ++i) {
    EXPECT_EQ(column.Micros(i), ticks[i]);
    EXPECT_EQ(column.Ticks(i), ticks[i]);
  }
  EXPECT_EQ(column.Nanos(1), -1000);
  EXPECT_EQ(column.Nanos(4), 1500000000000000000);
}

TEST(TimeColumnTest, NanosecondsSaturate) {
  const TimeColumn column =
      Column({kMin, kMin / 1000, kMax / 1000, kMax}, kNanosPerMicro);
  EXPECT_EQ(column.Nanos(0), kMin);
  EXPECT_EQ(column.Nanos(1), kMin / 1000 * 1000);
  EXPECT_EQ(column.Nanos(2), kMax / 1000 * 1000);
  EXPECT_EQ(column.Nanos(3), kMax);
}

TEST(TimeColumnTest, NanosecondTicksRoundDownToMicroseconds) {
  const TimeColumn column =
      Column({0, 999, 1000, -1, -1000, -1001, kMax, kMin}, 1);
  const int64_t micros[] = {0, 0, 1, -1, -1, -2, kMax / 1000, kMin / 1000 - 1};
  for (size_t i = 0; i < column.size(); ++i) {
    EXPECT_EQ(column.Micros(i), micros[i]) << i;
    EXPECT_EQ(column.Nanos(i), column.Ticks(i)) << i;
  }
}

TEST(TimeColumnTest, OtherTicks) {
  const TimeColumn tens = Column({1, 250}, 10);
  EXPECT_EQ(tens.Nanos(1), 2500);
  EXPECT_EQ(tens.Micros(1), 2);
  const TimeColumn millis = Column({3}, 1000000);
  EXPECT_EQ(millis.Micros(0), 3000);
}

// This is why the unit exists: 10 seconds take 4 bytes as microseconds, 8 as
// nanoseconds.
TEST(TimeColumnTest, ALongerTickTakesFewerBytes) {
  EXPECT_EQ(Column({0, 10000000}, kNanosPerMicro).bytes(), 8u);
  EXPECT_EQ(Column({0, 10000000000}, 1).bytes(), 16u);
}

TEST(TimeColumnTest, Empty) {
  EXPECT_EQ(TimeColumn().size(), 0u);
  EXPECT_EQ(TimeColumn().bytes(), 0u);
  EXPECT_EQ(TimeColumn().nanos_per_tick(), kNanosPerMicro);
}

}  // namespace
}  // namespace tfprof
