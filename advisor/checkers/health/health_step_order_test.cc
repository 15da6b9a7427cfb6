#include "advisor/checkers/health/health_testing.h"

namespace tfprof::advisor {
namespace {

using HealthStepOrderTest = HealthTest;

TEST_F(HealthStepOrderTest, OneStepHasNoOrder) {
  RanOn(Node("a", "Op"), kCpuA, 10, 50, 0);
  EXPECT_EQ(Verdict("StepOrderChecker"), "");
}

TEST_F(HealthStepOrderTest, OneAfterTheOther) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 10, 50, 0);
  RanOn(a, kCpuA, 60, 50, 1);
  EXPECT_EQ(Verdict("StepOrderChecker"), "ok: no two steps overlap");
}

TEST_F(HealthStepOrderTest, AtTheSameTime) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 10, 50, 4);
  RanOn(a, kCpuA, 20, 50, 7);
  EXPECT_EQ(Verdict("StepOrderChecker"),
            "warn: steps overlap 1 times, first steps 4 and 7");
}

TEST_F(HealthStepOrderTest, StepsOfTwoTasksMayOverlap) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 10, 50, 0);
  RanOn(a, kCpuB, 20, 50, 1);
  EXPECT_EQ(Verdict("StepOrderChecker"), "ok: no two steps overlap");
}

// Each step overlaps only the one before it.
TEST_F(HealthStepOrderTest, EveryOverlapIsCounted) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 10, 20, 1);
  RanOn(a, kCpuA, 25, 20, 2);
  RanOn(a, kCpuA, 40, 20, 3);
  RanOn(a, kCpuA, 60, 20, 4);
  EXPECT_EQ(Verdict("StepOrderChecker"),
            "warn: steps overlap 2 times, first steps 1 and 2");
  EXPECT_EQ(findings_[0].value, 2);
}

}  // namespace
}  // namespace tfprof::advisor
