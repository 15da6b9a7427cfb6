#include "exporters/formats/pprof_format.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::exporters {
namespace {

TEST(PprofFormatTest, UnitsAreThoseThatPprofKnows) {
  EXPECT_EQ(PprofUnit(accounting::StatisticOf(accounting::kMicros), 1),
            "microseconds");
  EXPECT_EQ(PprofUnit(accounting::StatisticOf(accounting::kCpuMicros), 1),
            "microseconds");
  EXPECT_EQ(PprofUnit(accounting::StatisticOf(accounting::kPeakBytes), 1),
            "bytes");
  EXPECT_EQ(PprofUnit(accounting::StatisticOf(accounting::kFloatOps), 1),
            "count");
  EXPECT_EQ(PprofUnit(accounting::StatisticOf(accounting::kRunCount), 1),
            "count");
  EXPECT_EQ(PprofUnit(accounting::StatisticOf(accounting::kMicros), 1000),
            "nanoseconds");
  EXPECT_EQ(PprofUnit(accounting::StatisticOf(accounting::kPeakBytes), 1000),
            "bytes");
}

TEST(PprofFormatTest, TheErrorSaysWhatToDo) {
  const absl::Status status = PprofTooLarge();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("show fewer rows"));
}

TEST(PprofValueTest, ShortTicksBecomeNanoseconds) {
  EXPECT_EQ(PprofValue(accounting::StatisticOf(accounting::kMicros), 1, 5), 5);
  EXPECT_EQ(PprofValue(accounting::StatisticOf(accounting::kMicros), 1000, 5),
            5);
  EXPECT_EQ(
      PprofValue(accounting::StatisticOf(accounting::kMicros), 1'000'000, 5999),
      5);
  EXPECT_EQ(PprofValue(accounting::StatisticOf(accounting::kRunCount),
                       1'000'000, 5999),
            5999);
}

}  // namespace
}  // namespace tfprof::exporters
