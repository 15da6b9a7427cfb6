#include "loaders/xplane/device_steps.h"

#include <memory>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "loaders/xplane/xplane_testing.h"

namespace tfprof::xplane {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Three steps of 10 on the host, each with one launch of a kernel of 50 and a
// copy before it on another stream.
class DeviceStepsTest : public ::testing::Test {
 protected:
  // `stat`: what joins an event of a step to its launch.
  void Make(const std::string& stat) {
    for (int64_t s = 0; s < 3; ++s) {
      steps_.push_back(host_.Event(
          "train", 10 * s, 10,
          {host_.Int("step_num", 7 + s), host_.Int("group_id", 40 + s)}));
      steps_.push_back(host_.Event("cuLaunchKernel", 10 * s + 1, 1,
                                   {host_.Uint("correlation_id", Id(s))}));
      kernels_.push_back(gpu_.Event("gemm", 20 + 50 * s, 50, Join(stat, s)));
      copies_.push_back(gpu_.Event("MemcpyH2D", 10 * s + 2, 1, Join(stat, s)));
    }
    // A kernel whose launch was not recorded.
    kernels_.push_back(gpu_.Event("gemm", 300, 50));
  }
  static uint64_t Id(int64_t step) { return static_cast<uint64_t>(step) + 90; }
  std::vector<std::string> Join(const std::string& stat, int64_t s) {
    return {stat == "group_id" ? gpu_.Int(stat, 40 + s)
                               : gpu_.Uint(stat, Id(s))};
  }
  std::vector<loaders::StepTime> Find() {
    host_.Line("python", 0, steps_);
    gpu_.Line("Stream #1(Compute)", 0, kernels_);
    gpu_.Line("Stream #2(MemcpyH2D)", 0, copies_);
    file_ = XPlaneInput(XSpaceOf({host_.Bytes(), gpu_.Bytes()}));
    loaders::ImportLog log;
    space_ = ReadXSpace(*file_, log);
    int64_t derived = 0;
    lines_ = CollectLines(space_, derived);
    for (FileLine& line : lines_) {
      ReadFileLine(file_->bytes().data(), 0, nullptr, line);
    }
    const FileSteps steps(lines_, log);
    for (FileLine& line : lines_) {
      if (line.is_host()) line.launch_rows = steps.RowsOfLaunches(line);
    }
    return FindDeviceSteps(lines_, steps);
  }
  void ExpectDeviceSteps() {
    const std::vector<loaders::StepTime> found = Find();
    ASSERT_THAT(found, SizeIs(3));
    EXPECT_EQ(found[0].start, 0) << "nothing ran before";
    EXPECT_EQ(found[1].start, 70);
    EXPECT_EQ(found[2].start, 120);
    EXPECT_EQ(found[2].end, 170);
  }

  XPlaneMaker host_{"/host:CPU"};
  XPlaneMaker gpu_{"/device:GPU:0"};
  std::vector<std::string> steps_, kernels_, copies_;
  std::shared_ptr<const loaders::InputFile> file_;
  XSpace space_;
  std::vector<FileLine> lines_;
};

TEST_F(DeviceStepsTest, AreJoinedByLaunches) {
  Make("correlation_id");
  ExpectDeviceSteps();
}

TEST_F(DeviceStepsTest, AreJoinedByGroups) {
  Make("group_id");
  ExpectDeviceSteps();
}

// Of many launches some decide whether the host is ahead.
TEST_F(DeviceStepsTest, ManyLaunches) {
  constexpr int64_t kStep = 50'000;
  for (const int64_t length : {1, 5}) {
    steps_ = kernels_ = copies_ = {};
    host_ = XPlaneMaker("/host:CPU");
    gpu_ = XPlaneMaker("/device:GPU:0");
    for (int64_t s = 0; s < 3; ++s) {
      steps_.push_back(
          host_.Event("train", kStep * s, kStep, {host_.Int("step_num", s)}));
      for (int64_t k = 0; k < kStep; ++k) {
        const int64_t i = kStep * s + k;
        steps_.push_back(host_.Event("cuLaunchKernel", i, 1,
                                     {host_.Uint("correlation_id", Id(i))}));
        kernels_.push_back(gpu_.Event("gemm", length * i, length,
                                      {gpu_.Uint("correlation_id", Id(i))}));
      }
    }
    EXPECT_THAT(Find(), SizeIs(length == 1 ? 0 : 3)) << length;
  }
}

TEST_F(DeviceStepsTest, AStepWithoutWorkHasNoTimeOnADevice) {
  Make("correlation_id");
  steps_.push_back(host_.Event("train", 30, 10, {host_.Int("step_num", 10)}));
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(DeviceStepsTest, WithoutStepsOfTheHostThereAreNone) {
  Make("correlation_id");
  steps_.clear();
  EXPECT_THAT(Find(), IsEmpty());
}

}  // namespace
}  // namespace tfprof::xplane
