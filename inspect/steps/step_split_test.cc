#include "inspect/steps/step_split.h"

#include <vector>

#include "gtest/gtest.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/trace_testing.h"
#include "views/views.h"

namespace tfprof::inspect {
namespace {

class StepSplitTest : public tensorflow::ProfileTest {
 protected:
  std::vector<DeviceSplit> Split() {
    profile_ = Build();
    views_.emplace(profile_);
    return SplitStep(*views_, *profile_.FindStep(0));
  }
  profile::Profile profile_;
  std::optional<views::Views> views_;
};

TEST_F(StepSplitTest, LaunchesAreNoWorkOfTheGpu) {
  const profile::NodeId a = Node("a", "Conv2D");
  RanOn(a, "/job:w/device:GPU:0", 100, 50);
  RanOn(a, "/device:GPU:0/stream:all", 120, 20);
  const std::vector<DeviceSplit> split = Split();
  ASSERT_EQ(split.size(), 1u);
  EXPECT_TRUE(split[0].accelerator);
  EXPECT_EQ(split[0].wall, 50);
  EXPECT_EQ(split[0].busy, 20);
  EXPECT_EQ(split[0].compute, 20);
  EXPECT_EQ(split[0].idle, 30);
}

TEST_F(StepSplitTest, EachKindOfWorkHasItsTime) {
  RanOn(Node("a", "MatMul"), "/job:w/device:CPU:0", 100, 30);
  RanOn(Node("r", "_Recv"), "/job:w/device:CPU:0", 120, 40);
  const std::vector<DeviceSplit> split = Split();
  ASSERT_EQ(split.size(), 1u);
  EXPECT_EQ(split[0].compute, 30);
  EXPECT_EQ(split[0].communication, 40);
  EXPECT_EQ(split[0].busy, 60);  // ten at the same time
  EXPECT_EQ(split[0].idle, 0);
}

TEST_F(StepSplitTest, AcceleratorsComeFirstThenTheBusiest) {
  const profile::NodeId a = Node("a", "MatMul"), b = Node("b", "MatMul");
  RanOn(a, "/job:w/device:CPU:0", 100, 30);
  RanOn(a, "/job:w/device:CPU:1", 100, 40);
  RanOn(b, "/job:w/device:GPU:0", 100, 2);
  RanOn(b, "/device:GPU:0/stream:all", 105, 5);
  const std::vector<DeviceSplit> split = Split();
  ASSERT_EQ(split.size(), 3u);
  EXPECT_TRUE(split[0].accelerator);
  EXPECT_EQ(split[1].busy, 40);
  EXPECT_EQ(split[2].busy, 30);
}

TEST(StepSplitTraceTest, WorkOfOtherStepsIsNotIdleTime) {
  timeline::TraceModel model;
  const profile::LaneId gpu = model.Stream(0, 7, profile::LaneKind::kKernels);
  const profile::NodeId mm = model.Op("aten::mm");
  model.Add({.name = "a",
             .node = mm,
             .lane = gpu,
             .start = 100,
             .duration = 50,
             .step = 0});
  model.Add({.name = "b",
             .node = mm,
             .lane = gpu,
             .start = 160,
             .duration = 20,
             .step = 1});
  model.Add({.name = "c",
             .node = mm,
             .lane = gpu,
             .start = 190,
             .duration = 10,
             .step = 0});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const std::vector<DeviceSplit> split = SplitStep(views, *profile.FindStep(0));
  ASSERT_EQ(split.size(), 1u);
  EXPECT_EQ(split[0].wall, 100);
  EXPECT_EQ(split[0].busy, 80);
  EXPECT_EQ(split[0].idle, 20);
}

}  // namespace
}  // namespace tfprof::inspect
