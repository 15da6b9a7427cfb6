#include "advisor/step_kinds.h"

#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/profile_testing.h"
#include "timeline/calls_testing.h"

namespace tfprof::advisor {
namespace {
namespace step_kinds_test {

constexpr char kCpu[] = "/job:w/device:CPU:0";

class StepKindsTest : public tensorflow::ProfileTest {
 protected:
  StepKindsTest() {
    const profile::NodeId a = Node("a", "MatMul"), b = Node("b", "Add"),
                          c = Node("c", "Relu");
    for (int step = 0; step < 3; ++step) {
      Ran(a, 100, 10, step, kCpu);
      Ran(b, 200, step == 2 ? 70 : 10, step, kCpu);
    }
    Ran(c, 100, 10, 3, kCpu);
    profile_ = Build();
  }
  const profile::Step& At(int64_t id) { return *profile_.FindStep(id); }
  profile::Profile profile_;
};

TEST_F(StepKindsTest, NodesInCommon) {
  EXPECT_EQ(NodesInCommon(At(0), At(1)), 1);
  EXPECT_EQ(NodesInCommon(At(0), At(3)), 0);
}

TEST_F(StepKindsTest, StepsOfOtherNodesAreLeftOut) {
  const std::vector<const profile::Step*> kind = StepsOfAKind(profile_, 0.8);
  ASSERT_EQ(kind.size(), 3u);
  EXPECT_EQ(kind[2]->id, 2);
  EXPECT_TRUE(StepsOfAKind(profile::Profile(), 0.8).empty());
}

TEST_F(StepKindsTest, TheNodeThatTakesMoreThanUsual) {
  const NodeDifference most = LargestDifference(profile_, At(2), At(0));
  EXPECT_EQ(profile_.node_name(most.node), "b");
  EXPECT_EQ(most.micros, 60);
  EXPECT_EQ(LargestDifference(profile_, At(0), At(2)).node, profile::kNone);
}

using LargestDifferenceTest = tensorflow::ProfileTest;

// A call that waits for the accelerator also takes longer.
TEST_F(LargestDifferenceTest, WhatTheAcceleratorRanIsPreferred) {
  const profile::NodeId wait = Node("wait", "Wait"), mm = Node("mm", "MatMul");
  for (int step = 0; step < 2; ++step) {
    Ran(wait, 100, step == 1 ? 110 : 10, step, kCpu);
    RanOn(mm, "/job:w/device:GPU:0", 100, 1, step);
    RanOn(mm, "/device:GPU:0/stream:all", 100, step == 1 ? 90 : 10, step);
  }
  const profile::Profile profile = Build();
  const NodeDifference most =
      LargestDifference(profile, *profile.FindStep(1), *profile.FindStep(0));
  EXPECT_EQ(profile.node_name(most.node), "mm");
  EXPECT_EQ(most.micros, 80);
}

// The ranks that were recorded wait for one that was not.
TEST(CauseOfSlowStepTest, ARankThatIsNotInTheFilesMayBeLate) {
  timeline::CallsModel model;
  model.trace.graph().lanes.mutable_process(model.trace.process()).job_ranks =
      4;
  for (int64_t step = 0; step < 2; ++step) {
    const int64_t start = step * 10'000, wait = step == 0 ? 100 : 5000;
    model.step = step;
    model.Kernel("aten::mm", start, 1000);
    model.Run("ncclDevKernel_AllReduce", profile::LaneKind::kCommunication,
              start + 1000, wait);
    model.StepInterval(start, start + 1000 + wait);
  }
  const profile::Profile profile = std::move(model.trace).Build();
  views::Views views(profile);
  const StepCause cause = CauseOfSlowStep(
      views, *profile.FindStep(1), *profile.FindStep(0), /*more_ticks=*/4900);
  EXPECT_THAT(
      cause.text,
      testing::HasSubstr("; 3 of the 4 ranks of the job are not in the files"));
  EXPECT_THAT(cause.advice, testing::HasSubstr("record all ranks"));
}

}  // namespace step_kinds_test
}  // namespace
}  // namespace tfprof::advisor
