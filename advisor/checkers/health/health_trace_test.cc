// Tests the health checkers on a trace, whose times are self times.

#include <cstdint>
#include <utility>
#include <vector>

#include "accounting/self_time_rules.h"
#include "advisor/checkers/health/health_testing.h"
#include "gtest/gtest.h"

namespace tfprof::advisor {
namespace {

class HealthTraceTest : public HealthTest {
 protected:
  HealthTraceTest() {
    builder_.SetRules(accounting::SelfTimeRules());
    builder_.SetTicksPerMicro(1000);
    op_ = builder_.AddNode("op", "op", profile::kNoRecord);
    host_ = AddLane(profile::LaneKind::kCompute);
  }

  profile::LaneId AddLane(profile::LaneKind kind) {
    return builder_.mutable_graph().lanes.Add({.process = 0, .kind = kind});
  }

  // Times in microseconds.
  void RanIn(int64_t step, profile::LaneId lane, int64_t start,
             int64_t duration) {
    std::vector<profile::LaneExecutions> batch(1);
    batch[0] = {.lane = lane,
                .records = {{.node = op_,
                             .start = start * 1000,
                             .duration = duration * 1000}},
                .ticks_per_micro = 1000};
    builder_.AddExecutions(step, std::move(batch), {});
  }

  void Interval(int64_t step, int64_t start, int64_t end) {
    builder_.AddStepInterval(
        {.step = step, .start = start * 1000, .end = end * 1000});
  }

  profile::NodeId op_ = 0;
  profile::LaneId host_ = 0;
};

TEST_F(HealthTraceTest, LengthOfStepsIsThatOfTheirIntervals) {
  for (const int64_t step : {1, 2, 3}) {
    RanIn(step, host_, 1000 * step, 5);
    Interval(step, 1000 * step, 1000 * step + 400);
  }
  RanIn(profile::kOutsideSteps, host_, 9000, 90000);
  EXPECT_EQ(Verdict("StepsChecker"), "ok: 3 steps, the median takes 400us");
}

TEST_F(HealthTraceTest, WithoutIntervalsStepsSpanTheirExecutions) {
  RanIn(1, host_, 1000, 5);
  RanIn(1, host_, 1100, 5);
  RanIn(2, host_, 2000, 105);
  EXPECT_EQ(Verdict("StepsChecker"), "ok: 2 steps, the median takes 105us");
}

TEST_F(HealthTraceTest, StepsOfAProcessMayOverlap) {
  RanIn(1, host_, 10, 5);
  RanIn(2, host_, 20, 5);
  Interval(1, 10, 25);
  Interval(2, 20, 40);
  EXPECT_TRUE(Verdict("StepOrderChecker").starts_with("warn: "));
}

TEST_F(HealthTraceTest, KernelsAreOnLanesOfAccelerators) {
  RanIn(0, AddLane(profile::LaneKind::kKernels), 0, 5);
  EXPECT_EQ(Verdict("KernelsChecker"),
            "ok: kernels of one accelerator were recorded");
}

TEST_F(HealthTraceTest, AnAcceleratorThatTheFileNamesMayHaveNoKernel) {
  RanIn(0, host_, 0, 5);
  profile::LaneTable& lanes = builder_.mutable_graph().lanes;
  lanes.mutable_physical(lanes.InternPhysical(0, "gpu:0", "gpu:0")).kind =
      "gpu";
  EXPECT_EQ(Verdict("KernelsChecker"),
            "bad: no kernel was recorded, the file names one accelerator");
}

TEST_F(HealthTraceTest, TracesOfHostsNeedNoKernels) {
  RanIn(0, host_, 0, 5);
  EXPECT_EQ(Verdict("KernelsChecker"),
            "ok: the trace has no kernel of an accelerator");
}

TEST_F(HealthTraceTest, ATraceIsNoGraph) {
  RanIn(0, host_, 0, 5);
  EXPECT_EQ(Verdict("GraphChecker"),
            "ok: 1 node; the trace says nothing about inputs");
}

// Traces get no advice about op logs and graphs, which only TensorFlow 1 has.
TEST_F(HealthTraceTest, AdviceIsAboutTraces) {
  RanIn(0, host_, 0, 5);
  EXPECT_EQ(Verdict("CodeChecker"), "warn: 0 of 1 nodes have a call stack");
  EXPECT_EQ(findings_.back().advice,
            "record the trace with call stacks for code, list and cd code:");
}

TEST_F(HealthTraceTest, BatchNormOfOtherFrameworksIsNotJudged) {
  builder_.AddNode("BatchNorm2d_0/aten::batch_norm", "aten::batch_norm",
                   profile::kNoRecord);
  RanIn(0, host_, 0, 5);
  EXPECT_TRUE(Check("OperationChecker", {}).empty());
}

}  // namespace
}  // namespace tfprof::advisor
