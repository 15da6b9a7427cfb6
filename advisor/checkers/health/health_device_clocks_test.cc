#include <cstdint>

#include "advisor/checkers/health/health_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::HasSubstr;

using HealthDeviceClocksTest = HealthTest;

TEST_F(HealthDeviceClocksTest, OneDeviceHasOneClock) {
  RanOn(Node("a", "Op"), kCpuA, 10, 5);
  EXPECT_EQ(Verdict("DeviceClocksChecker"), "");
}

TEST_F(HealthDeviceClocksTest, DevicesThatOverlap) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 10, 5);
  RanOn(a, kCpuB, 12, 5);
  EXPECT_EQ(Verdict("DeviceClocksChecker"),
            "ok: devices overlap in 1 of 1 steps with several");
}

TEST_F(HealthDeviceClocksTest, AGapLongerThanTheWorkIsAWarning) {
  const profile::NodeId a = Node("a", "Op");
  for (int64_t step = 0; step < 2; ++step) {
    RanOn(a, kCpuA, 10, 5, step);
    RanOn(a, kCpuB, 1000 + step, 5, step);
  }
  EXPECT_EQ(
      Verdict("DeviceClocksChecker"),
      "warn: in 2 of 2 steps, the gap between devices is longer than their "
      "work: 986us in step 1");
  EXPECT_EQ(findings_[0].value, 986);
  EXPECT_THAT(findings_[0].evidence, HasSubstr("-step 1 "));
}

// A device that waits for another one may begin later by the length of its
// work.
TEST_F(HealthDeviceClocksTest, AGapShorterThanTheWorkIsFine) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 10, 100);
  RanOn(a, kCpuB, 200, 5);
  EXPECT_EQ(Verdict("DeviceClocksChecker"),
            "ok: devices overlap in 1 of 1 steps with several");
}

TEST_F(HealthDeviceClocksTest, TheLongestGapOfAllStepsIsNamed) {
  const profile::NodeId a = Node("a", "Op");
  for (const int64_t step : {1, 2, 3}) {
    RanOn(a, kCpuA, 10, 5, step);
    RanOn(a, kCpuB, step == 2 ? 9000 : 12, 5, step);
  }
  EXPECT_EQ(Verdict("DeviceClocksChecker"),
            "warn: in 1 of 3 steps, the gap between devices is longer than "
            "their work: 8.98ms in step 2");
}

}  // namespace
}  // namespace tfprof::advisor
