#include "advisor/advisor_testing.h"
#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace step_variance_test {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr char kChecker[] = "StepVarianceChecker";
constexpr char kCpu[] = "/job:localhost/replica:0/task:0/device:CPU:0";

class StepVarianceTest : public AdvisorTest {
 protected:
  // Steps of the given ms: 1 ms in "a", the rest in "b"; ids start at 10.
  void Steps(const std::vector<int64_t>& milliseconds) {
    const profile::NodeId a = Node("a", "Relu"), b = Node("b", "MatMul");
    int64_t step = 10;
    for (const int64_t ms : milliseconds) {
      Ran(a, 1000000 * step, 1000, step, kCpu);
      Ran(b, 1000000 * step + 1000, ms * 1000 - 1000, step, kCpu);
      ++step;
    }
  }
};

// One of five steps is 10 ms above the median of 10 ms.
TEST_F(StepVarianceTest, SlowStep) {
  Steps({10, 10, 20, 10, 10});
  EXPECT_THAT(Check(kChecker),
              ElementsAre("step 12 takes 20.00ms, 2.00 times the median of 5 "
                          "steps (10.00ms); b takes 10.00ms more than in step "
                          "10"));
  EXPECT_EQ(findings_[0].rule, "slow_step");
  EXPECT_EQ(findings_[0].subject, "step 12");
  EXPECT_EQ(findings_[0].value, 2);
  EXPECT_EQ(findings_[0].saving_micros, 2000);
  EXPECT_EQ(findings_[0].evidence,
            "scope -step 12 -max_depth 100000 -show_name_regexes b -select "
            "micros,occurrence");
}

TEST_F(StepVarianceTest, SlowStepsThatComeBack) {
  Steps({10, 10, 20, 10, 10, 20, 10, 10, 20, 10});
  EXPECT_THAT(Check(kChecker),
              ElementsAre("step 12 takes 20.00ms, 2.00 times a usual step "
                          "(10.00ms), as every 3rd step does; b takes "
                          "10.00ms more than in step 10"));
}

// The median of 15 ms is the time of no step.
TEST_F(StepVarianceTest, EverySecondStepIsSlow) {
  Steps({10, 20, 10, 20, 10, 20, 10, 21});
  EXPECT_THAT(Check(kChecker),
              ElementsAre("step 17 takes 21.00ms, 2.10 times a usual step "
                          "(10.00ms), as every 2nd step does; b takes 11.00ms "
                          "more than in step 10"));
  EXPECT_EQ(findings_[0].saving_micros, 5125);
}

// What makes the first step slow comes back, so it is no warm-up.
TEST_F(StepVarianceTest, ASlowFirstStepThatComesBack) {
  Steps({22, 10, 10, 20, 10, 10});
  EXPECT_THAT(Check(kChecker),
              ElementsAre("step 13 takes 20.00ms, 2.00 times the median of 6 "
                          "steps (10.00ms), as 1 other step does; b takes "
                          "10.00ms more than in step 11"));
  EXPECT_EQ(findings_[0].saving_micros, 3666);
}

TEST_F(StepVarianceTest, SlowStepsWithoutARule) {
  Steps({10, 10, 20, 20, 10, 10, 20, 10});
  EXPECT_THAT(Check(kChecker),
              ElementsAre("step 12 takes 20.00ms, 2.00 times the median of 8 "
                          "steps (10.00ms), as 2 other steps do; b takes "
                          "10.00ms more than in step 10"));
}

TEST_F(StepVarianceTest, EvenSteps) {
  Steps({10, 10, 11, 10, 10});
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(StepVarianceTest, ThreeStepsAreTooFewToCompare) {
  Steps({10, 20, 10});
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(StepVarianceTest, TheFirstStepMayBeSlow) {
  Steps({50, 10, 10, 10, 10});
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// Mean 10, deviations 3 3 3 3: 30 %; median 10, two of four are 3 above it.
TEST_F(StepVarianceTest, Variation) {
  Steps({7, 13, 7, 13});
  EXPECT_THAT(Check(kChecker),
              ElementsAre("the times of 4 steps vary by 30.0% around 10.00ms; "
                          "step 11 takes 13.00ms; b takes 6.00ms more than in "
                          "step 10"));
  EXPECT_EQ(findings_[0].rule, "step_variation");
  EXPECT_NEAR(findings_[0].value, 0.3, 1e-9);
  EXPECT_EQ(findings_[0].saving_micros, 1500);
}

TEST_F(StepVarianceTest, LittleVariation) {
  Steps({9, 11, 9, 11});
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(StepVarianceTest, StepsWithOtherNodesAreOfAnotherKind) {
  Steps({10, 10, 10, 10});
  for (int i = 0; i < 4; ++i) {
    Ran(Node("eval" + std::to_string(i), "MatMul"), 40000000, 90000, 40, kCpu);
  }
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

TEST_F(StepVarianceTest, DifferencesBelowAMillisecond) {
  const profile::NodeId a = Node("a", "Relu");
  for (const int64_t step : {1, 2, 3, 4, 5}) {
    Ran(a, 1000 * step, step == 3 ? 900 : 100, step, kCpu);
  }
  EXPECT_THAT(Check(kChecker), IsEmpty());
}

// multi_step fetches something different in most of its steps.
TEST_F(StepVarianceTest, RealProfiles) {
  for (const char* name :
       {"multi_step/profile.pb.gz", "multi_cpu/profile.pb.gz",
        "ps_worker/profile.pb.gz", "conv_resnet/profile.pb"}) {
    EXPECT_THAT(CheckFiles({name}, kChecker), IsEmpty()) << name;
  }
  EXPECT_THAT(notes_, IsEmpty());
}

// A rank that saves the model at the end of step 2 ends it late; the other one
// waits in step 3. That is 20 ms once, and the reason is in step 2.
using StepsOfRanksTest = CallsCheckTest;

TEST_F(StepsOfRanksTest, ALateRankMakesTwoStepsLong) {
  constexpr int64_t kMilli = 1000;
  for (const bool saves : {true, false}) {
    model_.NextRank(saves ? 0 : 1);
    int64_t start = 0;
    for (int64_t step = 0; step < 6; ++step) {
      const bool late = step == 2 && saves;
      const bool waits = step == 3 && !saves;
      const auto run = [&](std::string_view op, profile::LaneKind kind,
                           int64_t from, int64_t to) {
        model_.Add({.name = std::string(op),
                    .node = model_.Op(op),
                    .lane = model_.Stream(0, 7, kind),
                    .start = (start + from * kMilli) * kTicks,
                    .duration = (to - from) * kMilli * kTicks,
                    .step = step});
      };
      run("aten::mm", profile::LaneKind::kKernels, 0, 8);
      run("all-reduce", profile::LaneKind::kCommunication, 8, waits ? 30 : 10);
      HostOp("save", start + 10 * kMilli, late ? 20 * kMilli : 1, step);
      const int64_t end = start + (late || waits ? 30 : 10) * kMilli;
      StepInterval(step, start, end);
      start = end;
    }
  }
  EXPECT_THAT(
      CheckTrace("StepVarianceChecker",
                 {{"StepVarianceChecker.same_nodes", 0}}),
      ElementsAre(
          "step 2 takes 30.00ms, 3.00 times the median of 6 steps "
          "(10.00ms), as 1 other step does; work of the host of gpu:0: 20.00ms "
          "more than in step 0, save"));
  EXPECT_EQ(findings_[0].saving_micros, 3333);
}

}  // namespace step_variance_test
}  // namespace
}  // namespace tfprof::advisor
