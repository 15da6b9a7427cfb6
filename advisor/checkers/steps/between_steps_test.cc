#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace between_steps_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::StartsWith;

constexpr std::string_view kChecker = "BetweenStepsChecker";

class BetweenStepsTest : public CallsCheckTest {
 protected:
  // Steps of 1 ms, in which the device works, with this time between them.
  void Steps(int64_t count, int64_t between, std::string_view host = "") {
    for (int64_t step = 0; step < count; ++step) {
      const int64_t start = step * (1000 + between);
      StepInterval(step, start, start + 1000);
      Launch("aten::mm", start, 5, step);
      model_.Add({.name = "kernel",
                  .node = model_.Op("aten::mm"),
                  .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
                  .start = start * kTicks,
                  .duration = 1000 * kTicks,
                  .step = step});
      if (!host.empty() && step + 1 < count) {
        HostOp(host, start + 1000, between, step);
      }
    }
  }
};

TEST_F(BetweenStepsTest, TheHostSchedules) {
  Steps(5, 3000, "schedule");
  EXPECT_THAT(
      CheckTrace(kChecker),
      ElementsAre("gpu:0: idle between the steps for 70.6% of the time from "
                  "the first step to the last (12.00ms of 17.00ms); steps "
                  "cover 29.4% of it; meanwhile the host is in schedule "
                  "12.00ms"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kCritical);
}

TEST_F(BetweenStepsTest, TheHostCompiles) {
  Steps(5, 3000, "TfrtTpuCompiler::Compile");
  EXPECT_THAT(
      CheckTrace(kChecker),
      ElementsAre("gpu:0: idle between the steps for 70.6% of the time from "
                  "the first step to the last (12.00ms of 17.00ms); steps "
                  "cover 29.4% of it; meanwhile the host is in "
                  "TfrtTpuCompiler::Compile 12.00ms; most of it is "
                  "compilation"));
  EXPECT_THAT(findings_[0].advice, StartsWith("Compile before the steps"));
}

TEST_F(BetweenStepsTest, NothingIsRecordedThere) {
  Steps(5, 500);
  EXPECT_THAT(
      CheckTrace(kChecker),
      ElementsAre("gpu:0: idle between the steps for 28.6% of the time from "
                  "the first step to the last (2.00ms of 7.00ms); steps cover "
                  "71.4% of it; what the host does there was not recorded"));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
}

// A CTF trace has all runs of a program, whose numbers follow each other.
TEST_F(BetweenStepsTest, OperationsThatAreRecordedOneByOne) {
  Steps(5, 3000);
  model_.graph().lanes.mutable_lane(model_.Ops()).calls_nest = false;
  EXPECT_THAT(CheckTrace(kChecker), testing::SizeIs(1));
}

TEST_F(BetweenStepsTest, RunsThatWereNotRecordedAreBetweenTheSteps) {
  Steps(3, 3000);
  StepInterval(8, 32000, 33000);
  model_.graph().lanes.mutable_lane(model_.Ops()).calls_nest = false;
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(BetweenStepsTest, ItIsAfterSomeSteps) {
  int64_t now = 0;
  for (int64_t step = 0; step < 12; ++step) {
    StepInterval(step, now, now + 1000);
    Launch("aten::mm", now, 5, step);
    Kernel("aten::mm", now, 1000);
    now += 1010 + (step % 4 == 1 ? 5000 : 0);
  }
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre(testing::HasSubstr("; nearly all of it after one "
                                             "step in 4")));
}

TEST_F(BetweenStepsTest, ALittleTimeIsFine) {
  Steps(5, 100);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(BetweenStepsTest, ADeviceThatWorksBetweenTheStepsIsFine) {
  Steps(5, 3000);
  Kernel("aten::mm", 0, 17'000);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(BetweenStepsTest, TwoStepsSayNothing) {
  Steps(2, 3000);
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

}  // namespace between_steps_test
}  // namespace
}  // namespace tfprof::advisor
