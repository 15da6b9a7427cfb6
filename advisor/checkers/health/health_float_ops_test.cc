#include "accounting/small_model_testing.h"
#include "advisor/checkers/health/health_testing.h"

namespace tfprof::advisor {
namespace {

using ::testing::HasSubstr;

using HealthFloatOpsTest = HealthTest;

TEST_F(HealthFloatOpsTest, NoneIsAWarning) {
  Node("a", "Op");
  EXPECT_EQ(Verdict("FloatOpsChecker"),
            "warn: 0 of 1 nodes have float operations");
}

TEST_F(HealthFloatOpsTest, Some) {
  const profile::Profile profile = accounting::SmallModel();
  CheckProfile(profile, "FloatOpsChecker");
  ASSERT_EQ(findings_.size(), 1u);
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
  EXPECT_THAT(findings_[0].text, HasSubstr("2 of "));
}

}  // namespace
}  // namespace tfprof::advisor
