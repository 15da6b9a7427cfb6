#include "timeline/account/queued_waits.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "timeline/calls_testing.h"

namespace tfprof::timeline {
namespace {

class QueuedWaitsTest : public testing::Test {
 protected:
  // For what run `run` of the first device waits in `time`.
  std::string Of(const Interval& time, size_t run) {
    const profile::Profile profile = std::move(model_.trace).Build();
    Activities activities(profile);
    const auto activity = activities.Everything();
    const HostFunctions functions(activities);
    // The accelerators of the first process.
    std::vector<const DeviceActivity*> all;
    for (const DeviceActivity& device : activity->devices) {
      const LaneUnit& unit = activities.units()[device.unit];
      if (device.accelerator && unit.process == 0) all.push_back(&device);
    }
    QueuedWaits waits(activities, activity->devices[0], all, functions);
    return std::string(waits.Of(time, run));
  }
  void KernelOf(int gpu, int64_t start, int64_t micros, int64_t launch) {
    model_.gpu = gpu;
    model_.Kernel("aten::mm", start, micros, model_.Launch(launch));
  }

  CallsModel model_;
};

TEST_F(QueuedWaitsTest, AFunctionOfTheHostBetweenTwoLaunches) {
  KernelOf(0, 100, 100, 0);
  model_.Call("cudaLaunchHostFunc_v10000", 10, 5);
  KernelOf(0, 900, 100, 20);
  EXPECT_EQ(Of({200, 900}, 1), "cudaLaunchHostFunc_v10000");
}

TEST(QueuedWaitsNameTest, AnOperationIsNotWhatIsWaitedFor) {
  EXPECT_TRUE(NamesWhatIsWaitedFor("gpu:1 of the same process"));
  EXPECT_TRUE(NamesWhatIsWaitedFor("cudaLaunchHostFunc"));
  EXPECT_FALSE(NamesWhatIsWaitedFor("aten::mm"));
}

TEST_F(QueuedWaitsTest, AFunctionAfterTheLaunchIsNotWaitedFor) {
  KernelOf(0, 100, 100, 0);
  KernelOf(0, 900, 100, 20);
  model_.Call("cudaLaunchHostFunc", 30, 5);
  EXPECT_EQ(Of({200, 900}, 1), "");
}

TEST_F(QueuedWaitsTest, TheDeviceThatWorksMeanwhile) {
  KernelOf(0, 100, 100, 0);
  KernelOf(0, 900, 100, 20);
  KernelOf(1, 200, 300, 30);
  KernelOf(2, 200, 600, 40);
  EXPECT_EQ(Of({200, 900}, 1), "gpu:2 of the same process");
}

TEST_F(QueuedWaitsTest, ADeviceThatWorksLessThanHalfOfTheTime) {
  KernelOf(0, 100, 100, 0);
  KernelOf(0, 900, 100, 20);
  KernelOf(1, 200, 300, 30);
  EXPECT_EQ(Of({200, 900}, 1), "");
}

}  // namespace
}  // namespace tfprof::timeline
