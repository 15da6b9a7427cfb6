#include <string>

#include "advisor/checkers/health/health_testing.h"

namespace tfprof::advisor {
namespace {

using HealthCoverageTest = HealthTest;

TEST_F(HealthCoverageTest, WithoutStepsNothingIsJudged) {
  Node("a", "Op");
  EXPECT_EQ(Verdict("CoverageChecker"), "");
}

TEST_F(HealthCoverageTest, HalfOfTheNodesIsUsual) {
  RanOn(Node("a", "Op"), kCpuA, 10, 5);
  Node("b", "Op");
  EXPECT_EQ(Verdict("CoverageChecker"), "ok: 1 of 2 nodes ran (50 %)");
}

TEST_F(HealthCoverageTest, FewNodesAreAWarning) {
  RanOn(Node("a", "Op"), kCpuA, 10, 5);
  for (int i = 0; i < 19; ++i) Node("n" + std::to_string(i), "Op");
  const profile::Profile profile = Build();
  CheckProfile(profile, "CoverageChecker");
  CheckProfile(profile, "CoverageChecker", {{"low_coverage", 0.05}});
  ASSERT_EQ(findings_.size(), 2u);
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].text, "1 of 20 nodes ran (5 %)");
  EXPECT_EQ(findings_[0].threshold, 0.1);
  EXPECT_EQ(findings_[1].severity, Finding::Severity::kInfo);
}

TEST_F(HealthCoverageTest, NoNodeAtAllIsBad) {
  Node("a", "Op");
  builder_.AddStep(0);
  EXPECT_EQ(Verdict("CoverageChecker"), "bad: 0 of 1 nodes ran (0 %)");
}

TEST_F(HealthCoverageTest, StepsAreAddedUp) {
  RanOn(Node("a", "Op"), kCpuA, 10, 5, 1);
  RanOn(Node("b", "Op"), kCpuA, 10, 5, 2);
  EXPECT_EQ(Verdict("CoverageChecker"), "ok: 2 of 2 nodes ran (100 %)");
}

}  // namespace
}  // namespace tfprof::advisor
