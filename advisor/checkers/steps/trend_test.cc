#include "advisor/checkers/program/device_check_testing.h"

namespace tfprof::advisor {
namespace {
namespace trend_test {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kChecker = "TrendChecker";

class TrendTest : public CallsCheckTest {
 protected:
  // Steps in which a kernel takes these times, after 1 ms of other work.
  void Steps(const std::vector<int64_t>& micros) {
    int64_t now = 0, step = 0;
    for (const int64_t time : micros) {
      const int64_t start = now;
      Add("aten::mm", now, 1000, step);
      Add("aten::softmax", now + 1000, time, step);
      now += 1000 + time;
      StepInterval(step++, start, now);
    }
  }
  void Add(std::string_view op, int64_t start, int64_t micros, int64_t step) {
    model_.Add({.name = "kernel",
                .node = model_.Op(op),
                .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
                .start = start * kTicks,
                .duration = micros * kTicks,
                .step = step});
  }
};

TEST_F(TrendTest, StepsTakeLongerAndLonger) {
  Steps({1000, 1100, 1200, 1300, 1400, 1500, 1600, 1700, 1800, 1900});
  EXPECT_THAT(
      CheckTrace(kChecker),
      ElementsAre(AllOf(
          HasSubstr("steps take longer and longer with each step: from 2.00ms "
                    "(step 0) to 2.90ms (step 9), 100us more for each of 10 "
                    "steps (45% in all); what grows most is"),
          HasSubstr("in aten::softmax from 1.10ms to 1.80ms"))));
  EXPECT_EQ(findings_[0].rule, "rising_steps");
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kWarning);
  EXPECT_EQ(findings_[0].saving_micros, 450);
}

TEST_F(TrendTest, OneOddStepChangesNothing) {
  Steps({1000, 1100, 1200, 9000, 1400, 1500, 1600, 1700, 1800, 1900});
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre(HasSubstr("from 2.00ms (step 0) to 2.90ms")));
}

TEST_F(TrendTest, StepsTakeLessAndLess) {
  Steps({1900, 1800, 1700, 1600, 1500, 1400, 1300, 1200, 1100, 1000});
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre(HasSubstr("steps take less and less")));
  EXPECT_EQ(findings_[0].severity, Finding::Severity::kInfo);
}

TEST_F(TrendTest, AJumpIsNoTrend) {
  Steps({1000, 1000, 1000, 1000, 1000, 2000, 2000, 2000, 2000, 2000});
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre("from step 5 on, steps take 3.00ms, 1.50 times as "
                          "long as before (2.00ms); what grows most is "
                          "reductions of gpu:0, from 1.00ms to 2.00ms per "
                          "step, in aten::softmax from 1.00ms to 2.00ms"));
  EXPECT_EQ(findings_[0].rule, "slower_from_step");
  EXPECT_EQ(findings_[0].saving_micros, 500) << "in half of the steps";
}

TEST_F(TrendTest, ASteepTrendIsNoJump) {
  Steps({1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000});
  EXPECT_THAT(CheckTrace(kChecker),
              ElementsAre(HasSubstr("steps take longer and longer")));
}

TEST_F(TrendTest, AJumpDownIsFine) {
  Steps({2000, 2000, 2000, 2000, 2000, 1000, 1000, 1000, 1000, 1000});
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(TrendTest, AllKernelsBecomeSlowerWithTheClock) {
  constexpr std::pair<std::string_view, int64_t> kKernels[] = {
      {"aten::mm", 1000}, {"aten::softmax", 600}, {"aten::add", 400}};
  int64_t now = 0;
  for (int64_t step = 0; step < 10; ++step) {
    const int64_t start = now;
    for (const auto& [op, micros] : kKernels) {
      const int64_t time = step < 5 ? micros : micros * 3 / 2;
      Add(op, now, time, step);
      now += time;
    }
    StepInterval(step, start, now);
  }
  EXPECT_THAT(
      CheckTrace(kChecker),
      ElementsAre(HasSubstr("the kernels are the same ones, and each takes "
                            "1.50 times as long, as if the clock of the device "
                            "went down or its inputs grew")));
  EXPECT_THAT(findings_[0].advice, HasSubstr("temperature"));
}

// The host does not wait in its first steps, so that less of their work is in
// them. Each step launches as much.
TEST_F(TrendTest, AQueueThatBecomesFull) {
  constexpr int64_t kWork = 3000;
  int64_t now = 0, queue = 0;
  for (int64_t step = 0; step < 12; ++step) {
    const int64_t length = step < 4 ? 2000 : kWork;
    const int launch = model_.Add({.name = "cudaLaunchKernel",
                                   .lane = model_.Launches(),
                                   .start = now * kTicks,
                                   .duration = 5 * kTicks,
                                   .step = step});
    model_.Add({.name = "kernel",
                .node = model_.Op("aten::mm"),
                .lane = model_.Stream(0, 7, profile::LaneKind::kKernels),
                .start = std::max(queue, now) * kTicks,
                .duration = kWork * kTicks,
                .step = step,
                .launch = launch});
    queue = std::max(queue, now) + kWork;
    StepInterval(step, now, now + length);
    now += length;
  }
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(TrendTest, NoiseIsNoTrend) {
  Steps({1000, 1500, 1100, 1600, 1050, 1550, 1120, 1590, 1020, 1700});
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(TrendTest, ASmallTrendIsFine) {
  Steps({1000, 1020, 1040, 1060, 1080, 1100, 1120, 1140, 1160, 1180});
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

TEST_F(TrendTest, FewStepsAreNotJudged) {
  Steps({1000, 1200, 1400, 1600, 1800, 2000});
  EXPECT_THAT(CheckTrace(kChecker), IsEmpty());
}

}  // namespace trend_test
}  // namespace
}  // namespace tfprof::advisor
