#include "advisor/checkers/health/health_testing.h"

namespace tfprof::advisor {
namespace {

using HealthTracingOverheadTest = HealthTest;

TEST_F(HealthTracingOverheadTest, WithoutExecutionsNothingIsJudged) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, profile::kNoStart, 1);
  EXPECT_EQ(Verdict("TracingOverheadChecker"), "");
}

TEST_F(HealthTracingOverheadTest, TinyExecutions) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 10, 1);
  RanOn(a, kCpuA, 20, 3);
  EXPECT_EQ(Verdict("TracingOverheadChecker"),
            "warn: 100 % of 2 executions take 3 us or less");
  EXPECT_EQ(findings_[0].value, 1);
  EXPECT_EQ(findings_[0].threshold, 0.5);
}

TEST_F(HealthTracingOverheadTest, HalfIsFine) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 10, 100);
  RanOn(a, kCpuA, 200, 2);
  EXPECT_EQ(Verdict("TracingOverheadChecker"),
            "ok: 50 % of 2 executions take 3 us or less");
}

TEST_F(HealthTracingOverheadTest, WhatIsTinyIsAnOption) {
  const profile::NodeId a = Node("a", "Op");
  RanOn(a, kCpuA, 10, 100);
  RanOn(a, kCpuA, 200, 2);
  EXPECT_EQ(Verdict("TracingOverheadChecker", {{"tiny", 200}}),
            "warn: 100 % of 2 executions take 200 us or less");
}

}  // namespace
}  // namespace tfprof::advisor
