#include "advisor/can_judge.h"
#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace unaccounted_time_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr std::string_view kChecker = "UnaccountedTimeChecker";

using UnaccountedTimeTest = CallsCheckTest;

TEST_F(UnaccountedTimeTest, TimeInWhichNothingWasRecorded) {
  HostOp("aten::mm", 0, 4000);
  StepInterval(0, 0, 10000);
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre("nothing was recorded on any device in 60.0% of the "
                          "wall time of the step (6.00ms of 10.00ms); most of "
                          "it in step 0 (6.00ms)"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
}

TEST_F(UnaccountedTimeTest, AKernelAccountsForTheTimeOfTheHost) {
  HostOp("aten::mm", 0, 4000);
  Kernel("aten::mm", 4000, 6000);
  StepInterval(0, 0, 10000);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

// The first step loads and compiles.
TEST_F(UnaccountedTimeTest, TheFirstStepMayBeLong) {
  StepInterval(0, 0, 50000);
  for (int64_t step = 1; step < 4; ++step) {
    HostOp("aten::mm", 40000 + 10000 * step, 9000, step);
    StepInterval(step, 40000 + 10000 * step, 50000 + 10000 * step);
  }
  HostOp("aten::mm", 0, 100);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(UnaccountedTimeTest, ShortTimesAreNotReported) {
  HostOp("aten::mm", 0, 100);
  StepInterval(0, 0, 900);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

// IdleChecker judges ops that are recorded one by one.
TEST_F(UnaccountedTimeTest, NeedsCalls) {
  const profile::NodeId a = Node("a", "MatMul");
  Ran(a, 1000, 10, 0, "/job:w/device:CPU:0");
  Ran(a, 90000, 10, 0, "/job:w/device:CPU:0");
  const profile::Profile profile = Build();
  views::Views views(profile);
  const Checker* checker = FindChecker(kChecker);
  EXPECT_EQ(
      WhyNotJudged(*checker, CheckerSettings(checker->options), {views, log_}),
      "no calls of a host");
  EXPECT_THAT(CheckProfile(profile, "IdleChecker:idle_host"),
              ::testing::SizeIs(1));
}

}  // namespace unaccounted_time_test
}  // namespace
}  // namespace tfprof::advisor
