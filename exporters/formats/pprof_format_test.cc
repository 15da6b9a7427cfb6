#include "exporters/formats/pprof_format.h"

#include <string>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof {
namespace {

TEST(PprofFormatTest, UnitsAreThoseThatPprofKnows) {
  EXPECT_EQ(PprofUnit(StatisticOf(kMicros)), "microseconds");
  EXPECT_EQ(PprofUnit(StatisticOf(kCpuMicros)), "microseconds");
  EXPECT_EQ(PprofUnit(StatisticOf(kPeakBytes)), "bytes");
  EXPECT_EQ(PprofUnit(StatisticOf(kFloatOps)), "count");
  EXPECT_EQ(PprofUnit(StatisticOf(kRunCount)), "count");
}

TEST(PprofFormatTest, TheErrorSaysWhatToDo) {
  const absl::Status status = PprofTooLarge();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()),
              ::testing::HasSubstr("show fewer rows"));
}

}  // namespace
}  // namespace tfprof
