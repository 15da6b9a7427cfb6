#include "profile/steps/step_sums.h"

#include <cstdint>
#include <limits>
#include <vector>

#include "gtest/gtest.h"

namespace tfprof::profile {
namespace {
namespace step_sums_test {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();
constexpr int64_t kMin = std::numeric_limits<int64_t>::min();

TEST(GroupSumsTest, AGroupHasNoSpanAtFirst) {
  const GroupSums sums;
  EXPECT_FALSE(sums.has_span);
  EXPECT_EQ(sums.node, kNone);
}

TEST(GroupSumsTest, TheFirstSpanReplacesTheDefault) {
  GroupSums sums;
  sums.AddSpan(50, 60);
  EXPECT_TRUE(sums.has_span);
  EXPECT_EQ(sums.start, 50);
  EXPECT_EQ(sums.end, 60);
}

TEST(GroupSumsTest, ASpanGrowsToBothSides) {
  GroupSums sums;
  sums.AddSpan(50, 60);
  sums.AddSpan(52, 55);
  EXPECT_EQ(sums.start, 50);
  EXPECT_EQ(sums.end, 60);
  sums.AddSpan(-7, 55);
  sums.AddSpan(55, 90);
  EXPECT_EQ(sums.start, -7);
  EXPECT_EQ(sums.end, 90);
}

TEST(GroupSumsTest, AddingKeepsTheNode) {
  GroupSums sums = {.node = 3, .run_count = 1};
  sums.Add({.node = 8, .run_count = 2});
  EXPECT_EQ(sums.node, 3u);
  EXPECT_EQ(sums.run_count, 3);
}

TEST(GroupSumsTest, EveryNumberIsAdded) {
  GroupSums sums;
  const GroupSums more = {.run_count = 1,
                          .accelerator_time = 2,
                          .cpu_time = 3,
                          .requested_bytes = 4,
                          .peak_bytes = 5,
                          .residual_bytes = 6,
                          .output_bytes = 7};
  sums.Add(more);
  sums.Add(more);
  EXPECT_EQ(sums.run_count, 2);
  EXPECT_EQ(sums.accelerator_time, 4);
  EXPECT_EQ(sums.cpu_time, 6);
  EXPECT_EQ(sums.requested_bytes, 8);
  EXPECT_EQ(sums.peak_bytes, 10);
  EXPECT_EQ(sums.residual_bytes, 12);
  EXPECT_EQ(sums.output_bytes, 14);
}

TEST(GroupSumsTest, SumsWrapAround) {
  GroupSums sums = {.cpu_time = kMax};
  sums.Add({.cpu_time = 1});
  EXPECT_EQ(sums.cpu_time, kMin);
}

TEST(GroupSumsTest, ASumWithoutASpanDoesNotWidenIt) {
  GroupSums sums;
  sums.AddSpan(50, 60);
  sums.Add({.start = 0, .end = 1000});
  EXPECT_EQ(sums.start, 50);
  EXPECT_EQ(sums.end, 60);
  GroupSums none;
  none.Add({.start = 4, .end = 5});
  EXPECT_FALSE(none.has_span);
  none.Add(sums);
  EXPECT_TRUE(none.has_span);
  EXPECT_EQ(none.start, 50);
}

IntColumn Two(int64_t first, int64_t second) {
  return IntColumn(std::vector<int64_t>{first, second});
}

StepSums TwoGroups() {
  StepSums sums;
  sums.run_count = Two(2, 0);
  sums.accelerator_time = Two(kMax, 10);
  sums.cpu_time = Two(1, 5);
  sums.requested_bytes = Two(1, 2);
  sums.peak_bytes = Two(3, 4);
  sums.residual_bytes = Two(5, 6);
  sums.output_bytes = Two(7, 8);
  sums.start = TimeColumn(Two(100, 100), 1);
  sums.end = TimeColumn(Two(900, 900), 1);
  sums.has_span = Two(1, 0);
  return sums;
}

TEST(StepSumsTest, TimeIsThatOfBothProcessors) {
  const StepSums sums = TwoGroups();
  EXPECT_EQ(sums.Time(1), 15);
  EXPECT_EQ(sums.Time(0), kMin);  // wraps around
}

TEST(StepSumsTest, ARowOfAllColumns) {
  const GroupSums of = TwoGroups().Of(0);
  EXPECT_EQ(of.node, kNone);
  EXPECT_TRUE(of.has_span);
  EXPECT_EQ(of.run_count, 2);
  EXPECT_EQ(of.accelerator_time, kMax);
  EXPECT_EQ(of.cpu_time, 1);
  EXPECT_EQ(of.requested_bytes, 1);
  EXPECT_EQ(of.peak_bytes, 3);
  EXPECT_EQ(of.residual_bytes, 5);
  EXPECT_EQ(of.output_bytes, 7);
  EXPECT_EQ(of.start, 100);  // in ticks
  EXPECT_EQ(of.end, 900);
  EXPECT_FALSE(TwoGroups().Of(1).has_span);
}

TEST(StepSumsTest, BytesAreThoseOfTheColumns) {
  EXPECT_EQ(StepSums().bytes(), 0u);
  // Eight columns have two different values; one column has 8-byte offsets.
  EXPECT_EQ(TwoGroups().bytes(), 2u * (7 + 8));
}

}  // namespace step_sums_test
}  // namespace
}  // namespace tfprof::profile
