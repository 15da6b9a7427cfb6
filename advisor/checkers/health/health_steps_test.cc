#include <cstdint>

#include "advisor/checkers/health/health_testing.h"

namespace tfprof::advisor {
namespace {

using HealthStepsTest = HealthTest;

TEST_F(HealthStepsTest, NoStepIsBad) {
  Node("a", "Op");
  EXPECT_EQ(Verdict("StepsChecker"),
            "bad: no step was recorded: there are no times");
}

TEST_F(HealthStepsTest, OneStepMayBeTheWarmUp) {
  RanOn(Node("a", "Op"), kCpuA, 10, 5);
  EXPECT_EQ(Verdict("StepsChecker"),
            "warn: one step, which may be the warm-up");
}

TEST_F(HealthStepsTest, StepsOfOneLength) {
  const profile::NodeId a = Node("a", "Op");
  for (int64_t step = 0; step < 3; ++step) {
    RanOn(a, kCpuA, 1000 * (step + 1), 50 + step, step);
  }
  EXPECT_EQ(Verdict("StepsChecker"), "ok: 3 steps, the median takes 51us");
}

TEST_F(HealthStepsTest, AStepThatTakesLong) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 1000, 50, 0);
  RanOn(a, kCpuA, 2000, 900, 1);
  RanOn(a, kCpuA, 3000, 50, 2);
  EXPECT_EQ(Verdict("StepsChecker"),
            "warn: 1 of 3 steps take more than twice the median of 50us; step "
            "1 takes 900us");
  EXPECT_DOUBLE_EQ(findings_[0].value, 18);
  EXPECT_EQ(findings_[0].threshold, 2);
}

TEST_F(HealthStepsTest, WhatIsLongIsAnOption) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 1000, 50, 0);
  RanOn(a, kCpuA, 2000, 90, 1);
  RanOn(a, kCpuA, 3000, 50, 2);
  EXPECT_EQ(Verdict("StepsChecker", {{"long_step", 1.5}}),
            "warn: 1 of 3 steps take more than 1.5 times the median of 50us; "
            "step 1 takes 90us");
}

TEST_F(HealthStepsTest, StepsWithoutTimesHaveNoMedian) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, profile::kNoStart, 50, 0);
  RanOn(a, kCpuA, profile::kNoStart, 900, 1);
  EXPECT_EQ(Verdict("StepsChecker"), "ok: 2 steps, the median takes 0us");
}

}  // namespace
}  // namespace tfprof::advisor
