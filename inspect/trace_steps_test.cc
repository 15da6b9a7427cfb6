#include "inspect/trace_steps.h"

#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "inspect/steps.h"
#include "timeline/trace_testing.h"

namespace tfprof {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void Kernel(TraceModel& model, LaneKind kind, int64_t start, int64_t duration,
            int64_t step) {
  model.Add({.name = "kernel",
             .node = model.Op("aten::mm"),
             .lane = model.Stream(0, kind == LaneKind::kKernels ? 7 : 8, kind),
             .start = start,
             .duration = duration,
             .step = step});
}

TEST(TraceStepsTest, SpansAreThoseOfTheFile) {
  TraceModel model;
  Kernel(model, LaneKind::kKernels, 1'500, 250, 5);
  Kernel(model, LaneKind::kKernels, 2'500, 100, 6);
  Kernel(model, LaneKind::kKernels, 5'000, 100, kOutsideSteps);
  for (const int64_t step : {5, 6}) {
    model.builder().AddStepInterval({.step = step,
                                     .process = model.process(),
                                     .start = (step - 4) * 1'000,
                                     .end = (step - 4) * 1'000 + 800});
  }
  const Profile profile = std::move(model).Build();
  Views views(profile);
  EXPECT_THAT(Rows(StepsTable(views, -1, 0),
                   {"step", "span_micros", "idle_micros", "idle_share",
                    "busy_micros_gpu_0", "executions"}),
              ElementsAre("5 0.800 0.550 0.688 0.250 1",
                          "6 0.800 0.700 0.875 0.100 1"));
  EXPECT_THAT(Column(StepsTable(views, 6, 0), "step"), ElementsAre("6"));
}

// The kernels of a step may end in the next one, which is not idle then.
TEST(TraceStepsTest, WorkOfAnotherStepIsNotIdleTime) {
  TraceModel model;
  Kernel(model, LaneKind::kKernels, 1'500, 1'000, 5);
  Kernel(model, LaneKind::kKernels, 2'600, 400, 6);
  for (const int64_t step : {5, 6}) {
    model.builder().AddStepInterval({.step = step,
                                     .process = model.process(),
                                     .start = (step - 4) * 1'000,
                                     .end = (step - 3) * 1'000});
  }
  const Profile profile = std::move(model).Build();
  Views views(profile);
  EXPECT_THAT(Rows(StepsTable(views, -1, 0),
                   {"step", "idle_micros", "busy_micros_gpu_0"}),
              ElementsAre("5 0.500 1.000", "6 0.100 0.400"));
}

TEST(TraceStepsTest, WithoutIntervalsAStepSpansItsWork) {
  TraceModel model;
  Kernel(model, LaneKind::kKernels, 100, 50, 0);
  Kernel(model, LaneKind::kKernels, 200, 100, 0);
  model.Add({.name = "op",
             .node = model.Op("aten::mm"),
             .lane = model.Ops(),
             .start = 50,
             .duration = 10});
  const Profile profile = std::move(model).Build();
  Views views(profile);
  EXPECT_THAT(Rows(StepsTable(views, -1, 0),
                   {"span_micros", "idle_micros", "busy_micros_cpu_0"}),
              ElementsAre("0.250 0.100 0.010"));
}

TEST(TraceStepsTest, CommunicationIsExposedWhileNothingIsComputed) {
  TraceModel model;
  Kernel(model, LaneKind::kKernels, 100, 50, 0);
  Kernel(model, LaneKind::kCommunication, 120, 100, 0);
  const Profile profile = std::move(model).Build();
  Views views(profile);
  EXPECT_THAT(Rows(StepsTable(views, -1, 0),
                   {"communication_micros", "exposed_communication_micros"}),
              ElementsAre("0.100 0.070"));
}

TEST(TraceStepsTest, TheBusiestDevicesHaveAColumn) {
  TraceModel model;
  for (int gpu = 0; gpu < 3; ++gpu) {
    model.Add({.name = "kernel",
               .node = model.Op("aten::mm"),
               .lane = model.Stream(gpu, 7, LaneKind::kKernels),
               .start = 100,
               .duration = 10 * (gpu + 1)});
  }
  const Profile profile = std::move(model).Build();
  Views views(profile);
  const DataTable table = StepsTable(views, -1, 2);
  EXPECT_THAT(Rows(table, {"busy_micros_gpu_1", "busy_micros_gpu_2"}),
              ElementsAre("0.020 0.030"));
  EXPECT_EQ(Fact(table, "more_devices"), "1");
}

TEST(TraceStepsTest, ATraceWithoutListedSteps) {
  TraceModel model;
  Kernel(model, LaneKind::kKernels, 100, 50, kOutsideSteps);
  const Profile profile = std::move(model).Build();
  Views views(profile);
  EXPECT_THAT(Column(StepsTable(views, -1, 0), "step"), IsEmpty());
}

}  // namespace
}  // namespace tfprof
