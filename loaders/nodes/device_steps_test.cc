#include "loaders/nodes/device_steps.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::loaders {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Three steps of 10 on the host. Each launches two kernels, which start
// `behind` after the host began the first step.
class DeviceStepsTest : public ::testing::Test {
 protected:
  void Make(int64_t behind, int64_t kernel) {
    for (uint32_t s = 0; s < 3; ++s) {
      steps_.push_back({.start = 10 * s, .end = 10 * s + 10});
      for (uint32_t k = 0; k < 2; ++k) {
        const int64_t start = behind + kernel * (2 * s + k);
        work_.push_back({.start = start, .end = start + kernel, .step = s});
      }
    }
  }
  std::vector<StepTime> Find() const {
    return FindDeviceSteps(steps_, work_, lanes_);
  }

  std::vector<StepTime> steps_;
  std::vector<LaunchedWork> work_;
  std::vector<WorkLane> lanes_ = {{.stream = 7, .computes = true},
                                  {.stream = 8}};
};

TEST_F(DeviceStepsTest, AreThoseOfDevicesBehindTheHost) {
  Make(/*behind=*/5, /*kernel=*/50);
  const std::vector<StepTime> found = Find();
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].start, 0) << "that of the host";
  EXPECT_EQ(found[0].end, 105);
  EXPECT_EQ(found[1].start, 105);
  EXPECT_EQ(found[2].start, 205);
  EXPECT_EQ(found[2].end, 305) << "the end of its work";
}

// The devices still run what was launched before the recording.
TEST_F(DeviceStepsTest, WorkBeforeTheFirstStep) {
  Make(/*behind=*/5, /*kernel=*/50);
  work_.push_back({.start = -10, .end = 4});
  EXPECT_EQ(Find()[0].start, 5);
}

// The host waits in its last step only, as in a loop that logs a result.
TEST_F(DeviceStepsTest, AResultThatIsReadNowAndThen) {
  Make(/*behind=*/5, /*kernel=*/50);
  steps_[2].end = 305;
  const std::vector<StepTime> found = Find();
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[2].end - found[2].start, 100);
}

// Shards are gathered as soon as the host asks for them.
TEST_F(DeviceStepsTest, AStreamThatIsAhead) {
  Make(/*behind=*/5, /*kernel=*/50);
  for (uint32_t s = 0; s < 3; ++s) {
    const int64_t start = 10 * s + 2;
    work_.push_back({.start = start, .end = start + 1, .step = s, .lane = 1});
  }
  const std::vector<StepTime> found = Find();
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[1].start, 105);
  EXPECT_EQ(found[2].start, 205);
}

TEST_F(DeviceStepsTest, AHostThatWaitsHasTheSteps) {
  Make(/*behind=*/2, /*kernel=*/4);
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(DeviceStepsTest, AStepWithoutWorkHasNoTimeOnADevice) {
  Make(/*behind=*/5, /*kernel=*/50);
  steps_.push_back({.start = 30, .end = 40});
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(DeviceStepsTest, WorkWithoutALaunchSaysNothing) {
  Make(/*behind=*/5, /*kernel=*/50);
  for (LaunchedWork& run : work_) run.step = profile::kNone;
  EXPECT_THAT(Find(), IsEmpty());
}

TEST_F(DeviceStepsTest, OneNoticeForAllFiles) {
  Make(/*behind=*/5, /*kernel=*/50);
  HostsAhead ahead;
  ahead.Add("waits", steps_, {});
  ImportLog log;
  ahead.Log(/*per_milli=*/100, log);
  EXPECT_THAT(log.entries(), IsEmpty());
  ahead.Add("a", steps_, Find());
  ahead.Add("b", steps_, Find());
  ahead.Log(/*per_milli=*/100, log);
  ASSERT_THAT(log.entries(), SizeIs(1));
  EXPECT_THAT(
      log.entries().front().texts,
      ElementsAre(
          "a and 1 other file: the host does not wait for its devices, which "
          "end a step up to 2.750 ms after it: each step is from its first "
          "work on a device to that of the next step"));
}

}  // namespace
}  // namespace tfprof::loaders
