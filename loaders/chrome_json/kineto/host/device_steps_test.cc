#include "loaders/chrome_json/kineto/host/device_steps.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tfprof::kineto {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

// Three steps of 10 ns on the host. Each launches two kernels of 50 ns, which
// start `behind` ns after the host began the first step.
class DeviceStepsTest : public ::testing::Test {
 protected:
  void Make(int64_t behind, int64_t kernel) {
    events_.device_lanes = {
        {.stream = 7, .kind = profile::LaneKind::kKernels},
        {.stream = 8, .kind = profile::LaneKind::kCommunication}};
    for (int64_t s = 0; s < 3; ++s) {
      Host(strings_.Intern("ProfilerStep#" + std::to_string(s)), 10 * s, 10,
           /*is_range=*/true);
      for (int64_t k = 0; k < 2; ++k) {
        Host(strings_.Intern("cudaLaunchKernel"), 10 * s + 1 + k, 1,
             /*is_range=*/false);
        launch_.push_back(static_cast<uint32_t>(events_.host.size() - 1));
        events_.device.push_back(
            {.start = behind + kernel * (2 * s + k), .duration = kernel});
      }
    }
    steps_ = FindSteps(events_, strings_);
  }
  void Host(profile::StringId name, int64_t start, int64_t duration,
            bool is_range) {
    events_.host.push_back({.start = start,
                            .duration = duration,
                            .name = name,
                            .is_range = is_range});
  }

  profile::StringPool strings_;
  KinetoEvents events_;
  KinetoSteps steps_;
  std::vector<uint32_t> launch_;
};

TEST_F(DeviceStepsTest, AreThoseOfDevicesBehindTheHost) {
  Make(/*behind=*/5, /*kernel=*/50);
  const std::vector<DeviceStep> found =
      FindDeviceSteps(events_, steps_, launch_);
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[0].start, 5);
  EXPECT_EQ(found[0].end, 105);
  EXPECT_EQ(found[1].start, 105);
  EXPECT_EQ(found[2].start, 205);
  EXPECT_EQ(found[2].end, 305) << "the end of its work";
  EXPECT_EQ(DeviceStepsText(LongestDelay(steps_, found)),
            "the host does not wait for its devices, which end a step up to "
            "0.000 ms after it: each step is from its first work on a device "
            "to that of the next step");
}

// The host waits in its last step only, as in a loop that logs a result.
TEST_F(DeviceStepsTest, AResultThatIsReadNowAndThen) {
  Make(/*behind=*/5, /*kernel=*/50);
  for (HostEvent& event : events_.host) {
    if (event.is_range && event.start == 20) event.duration = 285;
  }
  steps_ = FindSteps(events_, strings_);
  const std::vector<DeviceStep> found =
      FindDeviceSteps(events_, steps_, launch_);
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[2].end - found[2].start, 100);
}

// Shards are gathered as soon as the host asks for them.
TEST_F(DeviceStepsTest, AStreamThatIsAhead) {
  Make(/*behind=*/5, /*kernel=*/50);
  for (int64_t s = 0; s < 3; ++s) {
    launch_.push_back(launch_[static_cast<size_t>(2 * s)]);
    events_.device.push_back({.start = 10 * s + 2, .duration = 1, .lane = 1});
  }
  const std::vector<DeviceStep> found =
      FindDeviceSteps(events_, steps_, launch_);
  ASSERT_THAT(found, SizeIs(3));
  EXPECT_EQ(found[1].start, 105);
  EXPECT_EQ(found[2].start, 205);
}

TEST_F(DeviceStepsTest, AHostThatWaitsHasTheSteps) {
  Make(/*behind=*/2, /*kernel=*/4);
  EXPECT_THAT(FindDeviceSteps(events_, steps_, launch_), IsEmpty());
}

TEST_F(DeviceStepsTest, AStepWithoutWorkHasNoTimeOnADevice) {
  Make(/*behind=*/5, /*kernel=*/50);
  Host(strings_.Intern("ProfilerStep#3"), 30, 10, /*is_range=*/true);
  steps_ = FindSteps(events_, strings_);
  EXPECT_THAT(FindDeviceSteps(events_, steps_, launch_), IsEmpty());
}

TEST_F(DeviceStepsTest, WorkWithoutALaunchSaysNothing) {
  Make(/*behind=*/5, /*kernel=*/50);
  launch_.assign(launch_.size(), profile::kNone);
  EXPECT_THAT(FindDeviceSteps(events_, steps_, launch_), IsEmpty());
}

}  // namespace
}  // namespace tfprof::kineto
