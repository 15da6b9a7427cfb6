#include "loaders/xplane/file_steps.h"

#include <memory>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/xplane/xplane_testing.h"
#include "profile/steps/step.h"

namespace tfprof::xplane {
namespace {

using ::testing::ElementsAre;

class FileStepsTest : public ::testing::Test {
 protected:
  FileSteps Read(const std::vector<const XPlaneMaker*>& planes) {
    std::vector<std::string> bytes;
    for (const XPlaneMaker* plane : planes) bytes.push_back(plane->Bytes());
    file_ = XPlaneInput(XSpaceOf(bytes));
    space_ = ReadXSpace(*file_, log_);
    int64_t derived = 0;
    lines_ = CollectLines(space_, derived);
    for (FileLine& line : lines_) {
      ReadFileLine(file_->bytes().data(), 0, nullptr, line);
    }
    return FileSteps(lines_, log_);
  }

  loaders::ImportLog log_;
  std::shared_ptr<const loaders::InputFile> file_;
  XSpace space_;
  std::vector<FileLine> lines_;
};

TEST_F(FileStepsTest, RangesWithANumberAreSteps) {
  XPlaneMaker host("/host:CPU");
  host.Line("python", 0,
            {host.Event("train", 5, 10, {host.Int("step_num", 3)}),
             host.Event("other", 50, 10)});
  const FileSteps steps = Read({&host});
  ASSERT_EQ(steps.spans().size(), 1u);
  EXPECT_EQ(steps.spans()[0].step, 3);
  EXPECT_EQ(steps.spans()[0].end, 15);
  EXPECT_EQ(steps.spans()[0].name, "train");
  EXPECT_EQ(steps.At(55), profile::kOutsideSteps);
}

TEST_F(FileStepsTest, LinesOfStepsAreTheNextBest) {
  XPlaneMaker gpu("/device:GPU:0");
  gpu.Line("Steps", 0,
           {gpu.Event("4", 5, 10, {gpu.Int("group_id", 9)}),
            gpu.Event("x", 20, 10)});
  const FileSteps steps = Read({&gpu});
  ASSERT_EQ(steps.spans().size(), 1u);
  EXPECT_EQ(steps.At(6), 4);
  int64_t step = 0;
  EXPECT_TRUE(steps.OfGroup(9, step));
  EXPECT_EQ(step, 4);
  EXPECT_FALSE(steps.OfGroup(8, step));
  XPlaneMaker host("/host:CPU");
  host.Line("python", 0,
            {host.Event("train", 5, 10, {host.Int("step_num", 3)})});
  EXPECT_EQ(Read({&gpu, &host}).At(6), 3);
}

// Another thread launches in calls that go on when the step is over.
TEST_F(FileStepsTest, ALaunchIsInTheStepInWhichItsCallBegan) {
  XPlaneMaker host("/host:CPU");
  const auto launch = [&](int64_t at, uint64_t id) {
    return host.Event("cuLaunchKernel", at, 1,
                      {host.Uint("correlation_id", id)});
  };
  host.Line("python", 0,
            {host.Event("train", 0, 10, {host.Int("step_num", 3)}),
             host.Event("train", 10, 10, {host.Int("step_num", 4)}),
             host.Event("train", 80, 10, {host.Int("step_num", 5)})});
  // The calls overlap at 18: the second one has the larger ids. The third one
  // began when no step ran, and the one of another thread before all steps.
  host.Line("worker", 0,
            {host.Event("$threading.py:9 run", 0, 100),
             host.Event("execute", 5, 17), host.Event("thunk", 20, 5),
             launch(7, 50), launch(15, 51), launch(21, 52),
             host.Event("execute", 18, 30), launch(19, 60), launch(40, 61),
             launch(60, 62), host.Event("execute", 70, 20), launch(85, 63)});
  host.Line("loop", -5, {host.Event("loop", 1000, 9000), launch(5015, 90)});
  const FileSteps steps = Read({&host});
  ASSERT_EQ(lines_.size(), 3u);
  EXPECT_THAT(steps.RowsOfLaunches(lines_[1]),
              ElementsAre(0, 0, 0, 1, 1, profile::kNone, profile::kNone));
  EXPECT_THAT(steps.RowsOfLaunches(lines_[2]), ElementsAre(1));
}

TEST_F(FileStepsTest, NegativeNumbersAreLogged) {
  XPlaneMaker host("/host:CPU");
  host.Line("python", 0,
            {host.Event("train", 5, 10, {host.Int("step_num", -1)})});
  const FileSteps steps = Read({&host});
  EXPECT_TRUE(steps.spans().empty());
  EXPECT_TRUE(log_.damaged());
}

}  // namespace
}  // namespace tfprof::xplane
