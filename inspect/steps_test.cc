#include "inspect/steps.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;

TEST(SparkLineTest, BarsAreSharesOfTheLargest) {
  EXPECT_EQ(SparkLine(std::vector<int64_t>{0, 4, 8}, 10), "▁▅█");
  EXPECT_EQ(SparkLine(std::vector<int64_t>{7}, 10), "█");
}

TEST(SparkLineTest, ABarOfSeveralValuesIsTheirLargest) {
  EXPECT_EQ(SparkLine(std::vector<int64_t>{1, 8, 2, 3}, 2), "█▄");
}

TEST(SparkLineTest, ZerosAndNoValues) {
  EXPECT_EQ(SparkLine(std::vector<int64_t>{0, 0}, 10), "▁▁");
  EXPECT_EQ(SparkLine({}, 10), "");
  EXPECT_EQ(SparkLine(std::vector<int64_t>{1, 2}, 0), "");
}

TEST(SparkLineTest, ExtremeValues) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(SparkLine(std::vector<int64_t>{-kMost, 1, kMost}, 10), "▁▁█");
}

TEST(StepsTest, SpansAndIdleTime) {
  const Profile profile = TwoSteps();
  Views views(profile);
  const DataTable table = StepsTable(views, -1, 0);
  EXPECT_THAT(
      Rows(table, {"step", "span_micros", "idle_micros", "idle_share",
                   "busy_micros_cpu_0", "executions", "node_peak_bytes"}),
      ElementsAre("3 50 20 0.400 30 3 30", "7 40 0 0.000 40 1 40"));
}

TEST(StepsTest, AColumnOfADeviceHasItsFullName) {
  const Profile profile = TwoSteps();
  Views views(profile);
  const DataTable table = StepsTable(views, -1, 0);
  EXPECT_EQ(table.columns[4].name, "busy_micros_cpu_0");
  EXPECT_EQ(table.columns[4].title, "cpu:0");
  EXPECT_EQ(table.columns[4].of,
            "/job:localhost/replica:0/task:0/device:cpu:0");
}

TEST(StepsTest, SeveralStepsAreDrawn) {
  const Profile profile = TwoSteps();
  Views views(profile);
  EXPECT_EQ(Fact(StepsTable(views, -1, 0), "wall"), "█▇");
  EXPECT_EQ(Fact(StepsTable(views, 7, 0), "wall"), "(no such fact)");
}

TEST(StepsTest, OneStepIsEnough) {
  const Profile profile = TwoSteps();
  Views views(profile);
  EXPECT_THAT(Column(StepsTable(views, 7, 8), "step"), ElementsAre("7"));
  EXPECT_EQ(StepsTable(views, 5, 8).num_rows, 0u);
}

TEST(StepsTest, StepsKeptAsSumsHaveNoTimes) {
  const Profile profile = TwoSteps(/*max_memory=*/1);
  Views views(profile);
  EXPECT_THAT(
      Rows(StepsTable(views, -1, 0), {"step", "span_micros", "idle_share",
                                      "executions", "node_peak_bytes"}),
      ElementsAre("3 - - - 30", "7 - - - 40"));
}

// Devices of two tasks that are busy for these times in one step.
DataTable OfDevices(const std::vector<std::pair<std::string, int64_t>>& devices,
                    size_t max_devices) {
  ProfileBuilder builder(TfprofRules());
  const NodeId a = builder.AddNode("a", "Op", kNoRecord);
  for (const auto& [name, micros] : devices) {
    const LaneId lane = DeviceLane(name, builder.mutable_graph());
    builder.AddExecutions(
        0, {{.node = a, .lane = lane, .start = 1000, .duration = micros}}, {});
  }
  const Profile profile = std::move(builder).Build();
  Views views(profile);
  return StepsTable(views, -1, max_devices);
}

TEST(StepsTest, TheBusiestDevicesHaveColumnsInTheirOrder) {
  const DataTable table = OfDevices({{"/job:w/task:0/cpu:0", 30},
                                     {"/job:w/task:0/cpu:1", 5},
                                     {"/job:w/task:0/cpu:2", 40}},
                                    2);
  EXPECT_THAT(Rows(table, {"busy_micros_cpu_0", "busy_micros_cpu_2"}),
              ElementsAre("30 40"));
  EXPECT_EQ(table.columns.size(), 9u);
  EXPECT_EQ(Fact(table, "more_devices"), "1");
}

TEST(StepsTest, TheSpanIsThatOfTheLongestTask) {
  const DataTable table = OfDevices(
      {{"/job:ps/task:0/cpu:0", 300}, {"/job:w/task:1/cpu:0", 500}}, 0);
  EXPECT_THAT(Rows(table, {"span_micros", "busy_micros_ps_0_cpu_0",
                           "busy_micros_w_1_cpu_0"}),
              ElementsAre("500 300 500"));
  EXPECT_EQ(Fact(table, "more_devices"), "(no such fact)");
}

// "a.b" and "a-b" have the same characters of a name of a column.
TEST(StepsTest, NamesOfColumnsAreUnique) {
  const DataTable table = OfDevices(
      {{"/job:a.b/task:0/cpu:0", 30}, {"/job:a-b/task:0/cpu:0", 40}}, 0);
  EXPECT_THAT(
      Rows(table, {"busy_micros_a_b_0_cpu_0", "busy_micros_a_b_0_cpu_0_2"}),
      ElementsAre("30 40"));
}

}  // namespace
}  // namespace tfprof
