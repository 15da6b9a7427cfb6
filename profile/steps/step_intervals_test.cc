#include "profile/steps/step_intervals.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {

using Rows = std::pair<size_t, size_t>;

TEST(StepIntervalsTest, NoIntervalsTakeNoMemory) {
  const StepIntervals intervals;
  EXPECT_EQ(intervals.size(), 0u);
  EXPECT_EQ(intervals.bytes(), 0u);
  EXPECT_EQ(intervals.RowsOf(0), Rows(0, 0));
}

TEST(StepIntervalsTest, TheRowsOfAStep) {
  const std::vector<StepInterval> given = {
      {-1, 0, 5, 10, kNone},
      {3, 0, 10, 20, 7},
      {3, 1, 12, 25, 8},
      {4, 0, 20, 20, kNone},
  };
  const StepIntervals intervals(given);
  ASSERT_EQ(intervals.size(), 4u);
  for (size_t i = 0; i < given.size(); ++i) EXPECT_EQ(intervals[i], given[i]);
  EXPECT_EQ(intervals.RowsOf(-1), Rows(0, 1));
  EXPECT_EQ(intervals.RowsOf(3), Rows(1, 3));
  EXPECT_EQ(intervals.RowsOf(4), Rows(3, 4));
  EXPECT_EQ(intervals.RowsOf(2), Rows(1, 1));
  EXPECT_EQ(intervals.RowsOf(9), Rows(4, 4));
}

TEST(StepIntervalsTest, TheLargestAndTheSmallestStep) {
  const std::vector<StepInterval> given = {
      {INT64_MIN, 0, 0, 1, kNone},
      {INT64_MAX, 0, INT64_MIN, INT64_MAX, kNone},
  };
  const StepIntervals intervals(given);
  EXPECT_EQ(intervals[1], given[1]);
  EXPECT_EQ(intervals.RowsOf(INT64_MIN), Rows(0, 1));
  EXPECT_EQ(intervals.RowsOf(INT64_MAX), Rows(1, 2));
  EXPECT_EQ(intervals.RowsOf(0), Rows(1, 1));
}

TEST(StepIntervalsTest, RowsAreOrderedByStepThenProcessThenStart) {
  const StepInterval first = {1, 1, 5, 9, kNone};
  EXPECT_LT(first, (StepInterval{2, 0, 0, 0, 0}));
  EXPECT_LT(first, (StepInterval{1, 2, 0, 0, 0}));
  EXPECT_LT(first, (StepInterval{1, 1, 6, 0, 0}));
}

}  // namespace
}  // namespace tfprof::profile
