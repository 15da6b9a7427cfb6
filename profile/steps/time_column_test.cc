#include "profile/steps/time_column.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {
namespace time_column_test {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TimeColumn Column(const std::vector<int64_t>& ticks, int64_t ticks_per_micro) {
  return TimeColumn(IntColumn(ticks), ticks_per_micro);
}

TEST(TimeColumnTest, MicrosecondsOfAFileAreExact) {
  const std::vector<int64_t> ticks = {kMin, -1, 0, 1, 1500000000000000, kMax};
  const TimeColumn column = Column(ticks, 1);
  for (size_t i = 0; i < ticks.size(); ++i) {
    EXPECT_EQ(column.Micros(i), ticks[i]);
    EXPECT_EQ(column.Ticks(i), ticks[i]);
  }
  EXPECT_EQ(column.Nanos(1), -1000);
  EXPECT_EQ(column.Nanos(4), 1500000000000000000);
}

TEST(TimeColumnTest, NanosecondsSaturate) {
  const TimeColumn column = Column({kMin, kMin / 1000, kMax / 1000, kMax}, 1);
  EXPECT_EQ(column.Nanos(0), kMin);
  EXPECT_EQ(column.Nanos(1), kMin / 1000 * 1000);
  EXPECT_EQ(column.Nanos(2), kMax / 1000 * 1000);
  EXPECT_EQ(column.Nanos(3), kMax);
}

TEST(TimeColumnTest, NanosecondTicksRoundDownToMicroseconds) {
  const TimeColumn column =
      Column({0, 999, 1000, -1, -1000, -1001, kMax, kMin}, kNanosPerMicro);
  const int64_t micros[] = {0, 0, 1, -1, -1, -2, kMax / 1000, kMin / 1000 - 1};
  for (size_t i = 0; i < column.size(); ++i) {
    EXPECT_EQ(column.Micros(i), micros[i]) << i;
    EXPECT_EQ(column.Nanos(i), column.Ticks(i)) << i;
  }
}

TEST(TimeColumnTest, PicosecondTicksRoundDown) {
  const TimeColumn column =
      Column({999, 1000, 1'999'999, -1, kMax}, kPicosPerMicro);
  const int64_t nanos[] = {0, 1, 1999, -1, kMax / 1000};
  const int64_t micros[] = {0, 0, 1, -1, kMax / 1000000};
  for (size_t i = 0; i < column.size(); ++i) {
    EXPECT_EQ(column.Nanos(i), nanos[i]) << i;
    EXPECT_EQ(column.Micros(i), micros[i]) << i;
  }
}

TEST(TimeColumnTest, OtherTicks) {
  const TimeColumn tens = Column({1, 250}, 100);
  EXPECT_EQ(tens.Nanos(1), 2500);
  EXPECT_EQ(tens.Micros(1), 2);
}

// This is why the unit exists: 10 seconds take 4 bytes as microseconds, 8 as
// nanoseconds.
TEST(TimeColumnTest, ALongerTickTakesFewerBytes) {
  EXPECT_EQ(Column({0, 10000000}, 1).bytes(), 8u);
  EXPECT_EQ(Column({0, 10000000000}, kNanosPerMicro).bytes(), 16u);
}

TEST(TimeColumnTest, Empty) {
  EXPECT_EQ(TimeColumn().size(), 0u);
  EXPECT_EQ(TimeColumn().bytes(), 0u);
  EXPECT_EQ(TimeColumn().ticks_per_micro(), 1);
}

}  // namespace time_column_test
}  // namespace
}  // namespace tfprof::profile
