#include "timeline/account/step_wall.h"

#include <cstdint>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/tensorflow/profile_testing.h"
#include "profile/profile_builder.h"
#include "timeline/trace_testing.h"
#include "views/views.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;

constexpr char kCpu[] = "/job:w/device:CPU:0";

class StepWallTest : public tensorflow::ProfileTest {
 protected:
  // Adds a step of each length.
  void Steps(const std::vector<int64_t>& micros) {
    const profile::NodeId a = Node("a", "MatMul");
    for (size_t i = 0; i < micros.size(); ++i) {
      Ran(a, 100, micros[i], static_cast<int64_t>(i), kCpu);
    }
    profile_ = Build();
  }
  int64_t OddId() {
    views::Views views(profile_);
    const std::vector<StepWall> walls = StepWalls(views);
    const StepWall* odd = OddStep(walls);
    return odd == nullptr ? -1 : odd->step->id;
  }

  profile::Profile profile_;
};

TEST_F(StepWallTest, FromTheFirstStartToTheLastEnd) {
  const profile::NodeId a = Node("a", "MatMul");
  Ran(a, 100, 10, 3, kCpu);
  Ran(a, 150, 20, 3, kCpu);
  profile_ = Build();
  views::Views views(profile_);
  const std::vector<StepWall> walls = StepWalls(views);
  ASSERT_EQ(walls.size(), 1u);
  EXPECT_TRUE(walls[0].known);
  EXPECT_EQ(walls[0].ticks, 70);
}

TEST_F(StepWallTest, TheTypicalStepIsNearestToTheMedian) {
  Steps({50, 10, 12, 11, 90});
  views::Views views(profile_);
  const std::vector<StepWall> walls = StepWalls(views);
  EXPECT_EQ(MedianWall(walls), 12);
  EXPECT_EQ(TypicalStep(walls)->step->id, 2);
  EXPECT_EQ(LongestStep(walls)->step->id, 4);
}

TEST_F(StepWallTest, AStepFarAboveTheMedianIsOdd) {
  Steps({10, 11, 10, 30});
  EXPECT_EQ(OddId(), 3);
}

TEST_F(StepWallTest, EvenStepsHaveNoOddOne) {
  Steps({10, 11, 10, 14});
  EXPECT_EQ(OddId(), -1);
}

TEST_F(StepWallTest, TwoStepsHaveNoOddOne) {
  Steps({10, 100});
  EXPECT_EQ(OddId(), -1);
}

TEST_F(StepWallTest, AStepWithoutExecutionsHasNoWallTime) {
  builder_.AddStep(0);
  profile_ = Build();
  views::Views views(profile_);
  const std::vector<StepWall> walls = StepWalls(views);
  ASSERT_EQ(walls.size(), 1u);
  EXPECT_FALSE(walls[0].known);
  EXPECT_EQ(TypicalStep(walls), nullptr);
  EXPECT_EQ(OddStep(walls), nullptr);
  EXPECT_EQ(MedianWall(walls), 0);
}

TEST_F(StepWallTest, AStepThatCannotBeSelectedIsNoStep) {
  const profile::NodeId a = Node("a", "MatMul");
  const profile::LaneId lane =
      tensorflow::DeviceLane(kCpu, builder_.mutable_graph());
  builder_.AddExecutions(
      7, {{.node = a, .lane = lane, .start = 1, .duration = 2}}, {});
  profile_ = Build();
  views::Views views(profile_);
  ASSERT_EQ(profile_.steps().size(), 1u);
  EXPECT_EQ(StepWalls(views).size(), profile_.steps()[0]->listed ? 1u : 0u);
}

// ---- Until the devices are done.

class AsynchronousStepTest : public testing::Test {
 protected:
  // Adds a step whose host takes [start, end), with a kernel.
  void Add(int step, Interval host, Interval kernel) {
    model_.builder().AddStepInterval({.step = step,
                                      .process = model_.process(),
                                      .start = host.start,
                                      .end = host.end});
    model_.Add({.name = "gemm",
                .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
                .start = kernel.start,
                .duration = kernel.length(),
                .step = step});
  }
  // How long each step takes until its devices are done.
  std::vector<int64_t> Done() {
    profile_ = std::move(model_).Build();
    views::Views views(profile_);
    std::vector<int64_t> ticks;
    for (const StepWall& wall : StepWalls(views)) ticks.push_back(wall.done);
    return ticks;
  }

  TraceModel model_;
  profile::Profile profile_;
};

TEST_F(AsynchronousStepTest, ALonelyStepTakesUntilItsWorkIsDone) {
  Add(0, {0, 100}, {80, 700});
  EXPECT_THAT(Done(), ElementsAre(700));
}

TEST_F(AsynchronousStepTest, AtMostUntilTheNextStepBegins) {
  Add(0, {0, 100}, {80, 700});
  Add(1, {500, 600}, {700, 800});
  EXPECT_EQ(Done()[0], 500);
}

// The host is a step ahead of the device in all steps, also in the last one.
TEST_F(AsynchronousStepTest, WorkOfAStreamOfStepsCountsWhereItRuns) {
  Add(0, {0, 100}, {90, 200});
  Add(1, {100, 200}, {200, 300});
  Add(2, {200, 300}, {300, 400});
  EXPECT_THAT(Done(), ElementsAre(100, 100, 100));
}

TEST_F(AsynchronousStepTest, EachProcessHasItsOwnWindow) {
  Add(0, {0, 100}, {10, 90});
  model_.NextRank(1);
  Add(0, {30, 90}, {40, 80});
  EXPECT_THAT(Done(), ElementsAre(100));
  Activities activities(profile_);
  const profile::Step& step = *profile_.steps()[0];
  EXPECT_THAT(StepWindow(activities, step, 0), ElementsAre(Interval{0, 100}));
  EXPECT_THAT(StepWindow(activities, step, 1), ElementsAre(Interval{30, 90}));
}

TEST_F(AsynchronousStepTest, AStepThatAProcessDidNotRecordHasNoWindow) {
  Add(0, {0, 100}, {10, 90});
  Add(1, {100, 200}, {110, 190});
  model_.NextRank(1);
  Add(1, {100, 200}, {110, 190});
  EXPECT_THAT(Done(), ElementsAre(100, 100));
  Activities activities(profile_);
  EXPECT_THAT(StepWindow(activities, *profile_.steps()[0], 1),
              testing::IsEmpty());
  EXPECT_THAT(StepWindow(activities, *profile_.steps()[1], 1),
              ElementsAre(Interval{100, 200}));
}

}  // namespace
}  // namespace tfprof::timeline
