#include "loaders/xplane/file_steps.h"

#include <memory>
#include <vector>

#include "gtest/gtest.h"
#include "loaders/xplane/xplane_testing.h"
#include "profile/steps/step.h"

namespace tfprof::xplane {
namespace {

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
  EXPECT_EQ(steps.map().At(55), profile::kOutsideSteps);
}

TEST_F(FileStepsTest, LinesOfStepsAreTheNextBest) {
  XPlaneMaker gpu("/device:GPU:0");
  gpu.Line("Steps", 0,
           {gpu.Event("4", 5, 10, {gpu.Int("group_id", 9)}),
            gpu.Event("x", 20, 10)});
  const FileSteps steps = Read({&gpu});
  ASSERT_EQ(steps.spans().size(), 1u);
  EXPECT_EQ(steps.map().At(6), 4);
  int64_t step = 0;
  EXPECT_TRUE(steps.OfGroup(9, step));
  EXPECT_EQ(step, 4);
  EXPECT_FALSE(steps.OfGroup(8, step));
  XPlaneMaker host("/host:CPU");
  host.Line("python", 0,
            {host.Event("train", 5, 10, {host.Int("step_num", 3)})});
  EXPECT_EQ(Read({&gpu, &host}).map().At(6), 3);
}

TEST_F(FileStepsTest, NegativeNumbersAreLogged) {
  XPlaneMaker host("/host:CPU");
  host.Line("python", 0,
            {host.Event("train", 5, 10, {host.Int("step_num", -1)})});
  const FileSteps steps = Read({&host});
  EXPECT_TRUE(steps.map().empty());
  EXPECT_TRUE(log_.damaged());
}

}  // namespace
}  // namespace tfprof::xplane
