#include "timeline/account/step_wall.h"

#include <cstdint>
#include <vector>

#include "gtest/gtest.h"
#include "loaders/tensorflow/profile_testing.h"
#include "profile/profile_builder.h"
#include "views/views.h"

namespace tfprof::timeline {
namespace {

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

}  // namespace
}  // namespace tfprof::timeline
