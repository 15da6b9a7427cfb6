#include "inspect/devices.h"

#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(DevicesTest, BusyTimeIsAUnion) {
  const Profile profile = TwoSteps();
  Views views(profile);
  const DataTable table = DevicesTable(views, -1);
  EXPECT_THAT(Rows(table, {"kind", "nodes", "executions", "busy_micros",
                           "busy_share", "node_peak_bytes"}),
              ElementsAre("cpu 2 4 70 0.778 40"));
  EXPECT_EQ(Fact(table, "Sums"), "of all steps");
}

TEST(DevicesTest, OfOneStep) {
  const Profile profile = TwoSteps();
  Views views(profile);
  const DataTable table = DevicesTable(views, 7);
  EXPECT_THAT(Rows(table, {"executions", "busy_micros", "node_peak_bytes"}),
              ElementsAre("1 40 40"));
  EXPECT_EQ(Fact(table, "Sums"), "of step 7");
  EXPECT_EQ(Fact(table, "step"), "7");
}

TEST(DevicesTest, NodesAreCountedWithoutExecutions) {
  const Profile profile = TwoSteps();
  Views views(profile);
  EXPECT_THAT(
      Rows(DevicesTable(views, 8), {"nodes", "executions", "busy_share"}),
      ElementsAre("2 0 -"));
}

TEST(DevicesTest, AProfileWithoutStepsHasNoDevices) {
  const Profile profile;
  Views views(profile);
  EXPECT_THAT(Rows(DevicesTable(views, -1), {"name"}), IsEmpty());
}

TEST(DevicesTest, AGpuIsOneDevice) {
  const Profile profile = SmallModel();
  Views views(profile);
  const DataTable table = DevicesTable(views, -1);
  EXPECT_THAT(Column(table, "kind"), ElementsAre("gpu", "cpu"));
  EXPECT_THAT(Column(table, "busy_micros"), ElementsAre("404", "41"));
}

TEST(DevicesTest, DevicesHaveALabelAndAName) {
  const Profile profile = SmallModel();
  Views views(profile);
  EXPECT_THAT(Rows(DevicesTable(views, -1), {"label", "name"}),
              ElementsAre("gpu:0 /job:localhost/replica:0/task:0/gpu:0",
                          "cpu:0 /job:localhost/replica:0/task:0/cpu:0"));
}

TEST(DevicesTest, OnlyAcceleratorsHaveLaunches) {
  const Profile profile = SmallModel();
  Views views(profile);
  EXPECT_THAT(Column(DevicesTable(views, -1), "launch_micros"),
              ElementsAre("4499", "-"));
}

TEST(DevicesTest, TheAllocatorsPeakIsTheLargestOfAllSteps) {
  ProfileBuilder builder(TfprofRules());
  const auto details = std::make_shared<FakeDetails>();
  for (const int64_t bytes : {500, 900, 700}) {
    ExecutionDetail& detail = details->executions.emplace_back();
    detail.memory.push_back({.outputs = {}});
    detail.memory[0].allocator_bytes_in_use = bytes;
  }
  const uint32_t input = builder.AddInput(details);
  const LaneId gpu = DeviceLane("/device:GPU:0", builder.mutable_graph());
  const NodeId a = builder.AddNode("a", "Op", kNoRecord);
  for (uint32_t step = 0; step < 3; ++step) {
    builder.AddExecutions(step,
                          {{.node = a,
                            .lane = gpu,
                            .start = 1000,
                            .duration = 5,
                            .record = MakeRecordRef(input, step)}},
                          {});
  }
  const Profile profile = std::move(builder).Build();
  Views views(profile);
  EXPECT_THAT(Column(DevicesTable(views, -1), "allocator_peak_bytes"),
              ElementsAre("900"));
  EXPECT_THAT(Column(DevicesTable(views, 2), "allocator_peak_bytes"),
              ElementsAre("700"));
}

TEST(DevicesTest, AnAllocatorWithoutRecordsHasNoPeak) {
  const Profile profile = TwoSteps();
  Views views(profile);
  EXPECT_THAT(Column(DevicesTable(views, -1), "allocator_peak_bytes"),
              ElementsAre("-"));
}

}  // namespace
}  // namespace tfprof
