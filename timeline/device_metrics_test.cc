#include "timeline/device_metrics.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "timeline/trace_testing.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class DeviceMetricsTest : public testing::Test {
 protected:
  int Launch(int64_t start, int64_t duration = 5) {
    return model_.Add({.name = "cudaLaunchKernel",
                       .node = model_.Op("aten::mm"),
                       .lane = model_.Launches(),
                       .start = start,
                       .duration = duration});
  }
  void Kernel(int64_t start, int64_t duration, int launch = -1,
              int64_t stream = 7) {
    model_.Add({.name = "kernel",
                .node = model_.Op("aten::mm"),
                .lane = model_.Stream(0, stream, profile::LaneKind::kKernels),
                .start = start,
                .duration = duration,
                .launch = launch});
  }
  DeviceActivity Device() {
    profile_ = std::move(model_).Build();
    Activities activities(profile_);
    return activities.Everything()->devices.at(0);
  }

  TraceModel model_;
  profile::Profile profile_;
};

TEST_F(DeviceMetricsTest, IdleTimeHasThreeParts) {
  const int a = Launch(90), b = Launch(250);
  Kernel(100, 50, a);
  // Idle for 150: 100 until the host launches the run, then 50 until it begins.
  Kernel(300, 50, b);
  // Idle for 60 for an unknown reason.
  Kernel(410, 10);
  const IdleTime idle = IdleTimeOf(Device());
  EXPECT_THAT(idle.all, ElementsAre(Interval{150, 300}, Interval{350, 410}));
  EXPECT_THAT(idle.waiting, ElementsAre(Interval{250, 300}));
  EXPECT_THAT(idle.host_bound, ElementsAre(Interval{150, 250}));
  EXPECT_THAT(idle.other, ElementsAre(Interval{350, 410}));
}

TEST_F(DeviceMetricsTest, WorkThatWaitsInAnotherStreamIsOutstanding) {
  const int a = Launch(90), b = Launch(95), late = Launch(190);
  Kernel(100, 50, a);
  Kernel(400, 50, b, 8);  // launched early
  Kernel(200, 50, late);
  const IdleTime idle = IdleTimeOf(Device());
  EXPECT_EQ(Length(idle.all), 50 + 150);
  EXPECT_EQ(Length(idle.waiting), 200);
  EXPECT_THAT(idle.host_bound, IsEmpty());
}

TEST_F(DeviceMetricsTest, KernelsOfOneGraphLaunchWaitForEachOther) {
  const int graph = Launch(50);
  Kernel(100, 10, graph);
  Kernel(130, 10, graph);
  const IdleTime idle = IdleTimeOf(Device());
  EXPECT_THAT(idle.waiting, ElementsAre(Interval{110, 130}));
}

TEST_F(DeviceMetricsTest, QueueLengthCountsFromLaunchToEnd) {
  const int a = Launch(100), b = Launch(110), c = Launch(300);
  Kernel(120, 80, a);  // in the queue from 100 to 200; the span is from 120
  Kernel(200, 50, b);  // 110 … 250
  Kernel(300, 20, c);  // 300 … 320
  const QueueLength queue = QueueLengthOf(Device());
  EXPECT_EQ(queue.max, 2);
  EXPECT_DOUBLE_EQ(queue.mean, (80 + 130 + 20) / 200.0);
}

TEST_F(DeviceMetricsTest, LatencyIsThatOfTheFirstRunOfALaunch) {
  const int a = Launch(100), b = Launch(200), early = Launch(500);
  Kernel(110, 5, a);
  Kernel(180, 5, a);
  Kernel(230, 5, b);
  Kernel(499, 5, early);  // clocks differ
  const LaunchLatency latency = LaunchLatencyOf(Device());
  EXPECT_EQ(latency.launches, 3);
  EXPECT_EQ(latency.min, 10);
  EXPECT_EQ(latency.median, 20);
  EXPECT_EQ(latency.max, 30);
}

TEST_F(DeviceMetricsTest, RunsWithoutALaunch) {
  Kernel(110, 5);
  Kernel(180, 7);
  Kernel(230, 9, Launch(200));
  const DeviceActivity device = Device();
  EXPECT_EQ(UnlaunchedOf(device).runs, 2);
  EXPECT_EQ(UnlaunchedOf(device).time, 12);
}

TEST_F(DeviceMetricsTest, NothingIsKnownWithoutLaunches) {
  Kernel(100, 10);
  Kernel(150, 0);
  const DeviceActivity device = Device();
  EXPECT_EQ(QueueLengthOf(device).max, 0);
  EXPECT_EQ(LaunchLatencyOf(device).launches, 0);
  EXPECT_EQ(Length(IdleTimeOf(device).other), 40);
}

TEST_F(DeviceMetricsTest, ADeviceWithoutASpanIsNotIdle) {
  Kernel(100, 0);
  const DeviceActivity device = Device();
  EXPECT_THAT(IdleTimeOf(device).all, IsEmpty());
  EXPECT_EQ(QueueLengthOf(device).mean, 0);
}

}  // namespace
}  // namespace tfprof::timeline
