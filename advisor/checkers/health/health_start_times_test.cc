#include <cstdint>

#include "advisor/checkers/health/health_testing.h"

namespace tfprof::advisor {
namespace {

using HealthStartTimesTest = HealthTest;

TEST_F(HealthStartTimesTest, WithoutExecutionsNothingIsJudged) {
  Node("a", "Op");
  EXPECT_EQ(Verdict("StartTimesChecker"), "");
}

TEST_F(HealthStartTimesTest, AllHaveAStartTime) {
  RanOn(Node("a", "Op"), kCpuA, 10, 5);
  EXPECT_EQ(Verdict("StartTimesChecker"),
            "ok: all 1 executions have a start time");
}

TEST_F(HealthStartTimesTest, SomeHaveNone) {
  const profile::NodeId a = Node("a", "Op");
  for (const int64_t start :
       {profile::kNoStart, int64_t{1000}, int64_t{2000}}) {
    RanOn(a, kCpuA, start, 5);
  }
  EXPECT_EQ(Verdict("StartTimesChecker"),
            "warn: 1 of 3 executions have no start time");
}

TEST_F(HealthStartTimesTest, MostHaveNone) {
  const profile::NodeId a = Node("a", "Op");
  for (const int64_t start :
       {profile::kNoStart, profile::kNoStart, int64_t{2000}}) {
    RanOn(a, kCpuA, start, 5);
  }
  EXPECT_EQ(Verdict("StartTimesChecker"),
            "bad: 2 of 3 executions have no start time");
}

}  // namespace
}  // namespace tfprof::advisor
