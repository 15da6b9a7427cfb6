#include "timeline/host_in_gaps.h"

#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "timeline/device_metrics.h"
#include "timeline/trace_testing.h"

namespace tfprof::timeline {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

class HostInGapsTest : public testing::Test {
 protected:
  int Launch(int64_t start, int64_t thread = 1) {
    return model_.Add(
        {.name = "launch",
         .node = model_.Op("launch"),
         .lane = model_.Thread(thread, profile::LaneKind::kLaunches),
         .start = start,
         .duration = 5});
  }
  void Kernel(int64_t start, int64_t duration, int launch = -1) {
    model_.Add({.name = "kernel",
                .node = model_.Op("mm"),
                .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
                .start = start,
                .duration = duration,
                .launch = launch});
  }
  void Host(std::string_view name, int64_t start, int64_t duration,
            int64_t thread = 1, std::string_view op = "") {
    model_.Add({.name = std::string(name),
                .node = model_.Op(name, op.empty() ? name : op),
                .lane = model_.Thread(thread, profile::LaneKind::kCompute),
                .start = start,
                .duration = duration});
  }
  // Returns the shares in all gaps of the device.
  std::vector<std::pair<std::string, int64_t>> Shares() {
    const profile::Profile profile = std::move(model_).Build();
    Activities activities(profile);
    const auto activity = activities.Everything();
    const DeviceActivity& device = activity->devices.at(0);
    std::vector<std::pair<std::string, int64_t>> shares;
    for (const HostShare& share :
         HostInGaps(activities, device, IdleTimeOf(device).all)) {
      shares.emplace_back(share.name, share.time);
    }
    return shares;
  }

  TraceModel model_;
};

TEST_F(HostInGapsTest, TheInnermostExecutionCounts) {
  Kernel(0, 100, Launch(0));
  Host("outer", 50, 250);
  Host("inner", 150, 50);
  Kernel(400, 100, Launch(390));
  EXPECT_THAT(Shares(), ElementsAre(Pair("outer", 150), Pair("", 95),
                                    Pair("inner", 50), Pair("launch", 5)));
}

TEST_F(HostInGapsTest, TheThreadThatEndsTheGapCounts) {
  Kernel(0, 100, Launch(0, 1));
  Host("forward", 100, 200, 1);
  Host("backward", 100, 150, 2);
  Kernel(300, 100, Launch(290, 2));
  EXPECT_THAT(Shares(), ElementsAre(Pair("backward", 150), Pair("", 45),
                                    Pair("launch", 5)));
}

TEST_F(HostInGapsTest, AnotherThreadCountsIfTheLaunchingOneIsSilent) {
  Kernel(0, 100, Launch(0, 1));
  Host("train.py:3 sleep", 90, 200, 2, "python");
  Kernel(300, 100, Launch(295, 1));
  EXPECT_THAT(Shares(),
              ElementsAre(Pair("train.py:3 sleep", 190), Pair("", 10)));
}

TEST_F(HostInGapsTest, ExecutionsThatOverlapPartlyCountOnce) {
  Kernel(0, 10, Launch(0));
  Host("a", 20, 40);
  Host("b", 40, 40);
  Kernel(100, 10, Launch(95));
  EXPECT_THAT(Shares(), ElementsAre(Pair("b", 40), Pair("", 25), Pair("a", 20),
                                    Pair("launch", 5)));
}

TEST_F(HostInGapsTest, WithoutLaunchesNothingIsKnown) {
  Kernel(0, 100);
  Host("outer", 50, 250);
  Kernel(400, 100);
  EXPECT_THAT(Shares(), IsEmpty());
}

}  // namespace
}  // namespace tfprof::timeline
