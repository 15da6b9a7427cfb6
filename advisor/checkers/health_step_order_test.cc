#include "advisor/checkers/health_testing.h"

namespace tfprof {
namespace {

using HealthStepOrderTest = HealthTest;

TEST_F(HealthStepOrderTest, OneStepHasNoOrder) {
  RanOn(Node("a", "Op"), kCpuA, 10, 50, 0);
  EXPECT_EQ(Verdict("StepOrderChecker"), "");
}

TEST_F(HealthStepOrderTest, OneAfterTheOther) {
  const NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 10, 50, 0);
  RanOn(a, kCpuA, 60, 50, 1);
  EXPECT_EQ(Verdict("StepOrderChecker"), "ok: no two steps overlap");
}

TEST_F(HealthStepOrderTest, AtTheSameTime) {
  const NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 10, 50, 4);
  RanOn(a, kCpuA, 20, 50, 7);
  EXPECT_EQ(Verdict("StepOrderChecker"),
            "warn: steps overlap 1 times, first steps 4 and 7");
}

TEST_F(HealthStepOrderTest, StepsOfTwoTasksMayOverlap) {
  const NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 10, 50, 0);
  RanOn(a, kCpuB, 20, 50, 1);
  EXPECT_EQ(Verdict("StepOrderChecker"), "ok: no two steps overlap");
}

}  // namespace
}  // namespace tfprof
