#include "advisor/checkers/steps/step_time_testing.h"

namespace tfprof::advisor {
namespace {
namespace step_difference_test {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kChecker = "StepDifferenceChecker";

class StepDifferenceTest : public StepTimeTest {
 protected:
  // A step that runs its own node.
  void Other(int64_t step, int64_t micros) {
    Ran(Node("node" + std::to_string(step), "MatMul"), 1000, micros, step,
        kCpu);
  }
  // A step that runs the node shared by all such steps.
  void Same(int64_t step, int64_t micros) {
    if (same_ == profile::kNone) same_ = Node("same", "Relu");
    Ran(same_, 1000, micros, step, kCpu);
  }
  profile::NodeId same_ = profile::kNone;
};

TEST_F(StepDifferenceTest, ALongStepAmongDifferentOnesIsAWarning) {
  Other(0, 100);
  Other(10, 23000);
  Other(20, 500);
  Other(30, 300);
  EXPECT_THAT(Check(kChecker),
              ElementsAre("step 10 takes 23.00ms, 57.5 times the median of 4 "
                          "steps (400us); the steps ran different operations; "
                          "node10 takes 23.00ms more than in step 20"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].evidence, "explain step 10");
}

TEST_F(StepDifferenceTest, AnEvaluationAmongEqualStepsIsForInformation) {
  for (int step = 0; step < 5; ++step) Same(step, 1000);
  Other(5, 9000);
  EXPECT_THAT(
      Check(kChecker),
      ElementsAre(HasSubstr("it ran other operations than most steps")));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

TEST_F(StepDifferenceTest, StepsOfAKindAreLeftToStepVariance) {
  for (int step = 0; step < 5; ++step) Same(step, step == 3 ? 20000 : 1000);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(StepDifferenceTest, ASlowFirstStepSetsThingsUp) {
  Other(0, 50000);
  Other(1, 1000);
  Other(2, 1100);
  Other(3, 1200);
  EXPECT_THAT(Check(kChecker),
              ElementsAre("the first step, step 0, takes 50.00ms, 45.5 times a "
                          "usual one (1.10ms); node0 takes 50.00ms more than "
                          "in step 2"));
  EXPECT_EQ(findings_[0].rule, "first_step");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

TEST_F(StepDifferenceTest, AWarmUpInALongRecordingIsForInformation) {
  Same(0, 5000);
  for (int step = 1; step < 20; ++step) Same(step, 1000);
  EXPECT_THAT(Check(kChecker), ElementsAre(HasSubstr("5.0 times a usual one")));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

TEST_F(StepDifferenceTest, AFirstStepLikeTheOthersIsNoFinding) {
  Same(0, 1900);
  for (int step = 1; step < 5; ++step) Same(step, 1000);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(StepDifferenceTest, TwoStepsAreNotCompared) {
  Other(0, 100);
  Other(1, 50000);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(StepDifferenceTest, DifferencesBelowAMillisecond) {
  Other(0, 10);
  Other(1, 20);
  Other(2, 900);
  Other(3, 10);
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// Step 10 of this profile takes 23.68 ms, the others 0.09 to 1.55.
TEST_F(StepDifferenceTest, ARealProfile) {
  EXPECT_THAT(CheckFiles({"multi_step/profile.pb.gz"}, kChecker),
              ElementsAre(StartsWith("step 10 takes 23.68ms, ")));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

TEST_F(StepDifferenceTest, HealthyProfiles) {
  for (const auto& files : HealthyProfiles()) {
    EXPECT_THAT(CheckFiles(files, kChecker), IsEmpty()) << files[0];
  }
}

}  // namespace step_difference_test
}  // namespace
}  // namespace tfprof::advisor
