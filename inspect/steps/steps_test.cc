#include "inspect/steps/steps.h"

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "inspect/inspect_testing.h"
#include "timeline/calls_testing.h"
#include "timeline/trace_testing.h"

namespace tfprof::inspect {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(SparkLineTest, BarsAreSharesOfTheLargest) {
  EXPECT_EQ(SparkLine(std::vector<int64_t>{0, 4, 8}, 10), "▁▅█");
  EXPECT_EQ(SparkLine(std::vector<int64_t>{7}, 10), "█");
}

TEST(SparkLineTest, ABarOfSeveralValuesIsTheirLargest) {
  EXPECT_EQ(SparkLine(std::vector<int64_t>{1, 8, 2, 3}, 2), "█▄");
}

TEST(SparkLineTest, ZerosAndNoValues) {
  EXPECT_EQ(SparkLine(std::vector<int64_t>{0, 0}, 10), "▁▁");
  EXPECT_EQ(SparkLine({}, 10), "");
  EXPECT_EQ(SparkLine(std::vector<int64_t>{1, 2}, 0), "");
}

TEST(SparkLineTest, ExtremeValues) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(SparkLine(std::vector<int64_t>{-kMost, 1, kMost}, 10), "▁▁█");
}

TEST(StepsTest, SpansAndIdleTime) {
  const profile::Profile profile = TwoSteps();
  views::Views views(profile);
  const tables::DataTable table = StepsTable(views, -1, 0);
  EXPECT_THAT(
      Rows(table, {"step", "span_micros", "idle_micros", "idle_share",
                   "busy_micros_cpu_0", "executions", "node_peak_bytes"}),
      ElementsAre("3 50 20 0.400 30 3 20", "7 40 0 0.000 40 1 40"));
}

TEST(StepsTest, AColumnOfADeviceHasItsFullName) {
  const profile::Profile profile = TwoSteps();
  views::Views views(profile);
  const tables::DataTable table = StepsTable(views, -1, 0);
  EXPECT_EQ(table.columns[4].name, "busy_micros_cpu_0");
  EXPECT_EQ(table.columns[4].title, "cpu:0");
  EXPECT_EQ(table.columns[4].of,
            "/job:localhost/replica:0/task:0/device:cpu:0");
}

TEST(StepsTest, SeveralStepsAreDrawn) {
  const profile::Profile profile = TwoSteps();
  views::Views views(profile);
  EXPECT_EQ(Fact(StepsTable(views, -1, 0), "wall"), "█▇");
  EXPECT_EQ(Fact(StepsTable(views, 7, 0), "wall"), "(no such fact)");
}

TEST(StepsTest, OneStepIsEnough) {
  const profile::Profile profile = TwoSteps();
  views::Views views(profile);
  EXPECT_THAT(Column(StepsTable(views, 7, 8), "step"), ElementsAre("7"));
  EXPECT_EQ(StepsTable(views, 5, 8).num_rows, 0u);
}

TEST(StepsTest, StepsKeptAsSumsHaveNoTimes) {
  const profile::Profile profile = TwoSteps(/*max_memory=*/1);
  views::Views views(profile);
  EXPECT_THAT(
      Rows(StepsTable(views, -1, 0), {"step", "span_micros", "idle_share",
                                      "executions", "node_peak_bytes"}),
      ElementsAre("3 - - - 20", "7 - - - 40"));
}

// Devices of two tasks that are busy for the given times in one step.
tables::DataTable OfDevices(
    const std::vector<std::pair<std::string, int64_t>>& devices,
    size_t max_devices) {
  profile::ProfileBuilder builder(accounting::TfprofRules());
  const profile::NodeId a = builder.AddNode("a", "Op", profile::kNoRecord);
  for (const auto& [name, micros] : devices) {
    const profile::LaneId lane =
        tensorflow::DeviceLane(name, builder.mutable_graph());
    builder.AddExecutions(
        0, {{.node = a, .lane = lane, .start = 1000, .duration = micros}}, {});
  }
  const profile::Profile profile = std::move(builder).Build();
  views::Views views(profile);
  return StepsTable(views, -1, max_devices);
}

TEST(StepsTest, TheBusiestDevicesHaveColumnsInTheirOrder) {
  const tables::DataTable table = OfDevices({{"/job:w/task:0/cpu:0", 30},
                                             {"/job:w/task:0/cpu:1", 5},
                                             {"/job:w/task:0/cpu:2", 40}},
                                            2);
  EXPECT_THAT(Rows(table, {"busy_micros_cpu_0", "busy_micros_cpu_2"}),
              ElementsAre("30 40"));
  EXPECT_EQ(table.columns.size(), 9u);
  EXPECT_EQ(Fact(table, "more_devices"), "1");
}

TEST(StepsTest, TheSpanIsThatOfTheLongestTask) {
  const tables::DataTable table = OfDevices(
      {{"/job:ps/task:0/cpu:0", 300}, {"/job:w/task:1/cpu:0", 500}}, 0);
  EXPECT_THAT(Rows(table, {"span_micros", "busy_micros_ps_0_cpu_0",
                           "busy_micros_w_1_cpu_0"}),
              ElementsAre("500 300 500"));
  EXPECT_EQ(Fact(table, "more_devices"), "(no such fact)");
}

// "a.b" and "a-b" become the same characters in a column name.
TEST(StepsTest, NamesOfColumnsAreUnique) {
  const tables::DataTable table = OfDevices(
      {{"/job:a.b/task:0/cpu:0", 30}, {"/job:a-b/task:0/cpu:0", 40}}, 0);
  EXPECT_THAT(
      Rows(table, {"busy_micros_a_b_0_cpu_0", "busy_micros_a_b_0_cpu_0_2"}),
      ElementsAre("30 40"));
}

void Kernel(timeline::TraceModel& model, profile::LaneKind kind, int64_t start,
            int64_t duration, int64_t step) {
  model.Add({.name = "kernel",
             .node = model.Op("aten::mm"),
             .lane = model.Stream(
                 0, kind == profile::LaneKind::kKernels ? 7 : 8, kind),
             .start = start,
             .duration = duration,
             .step = step});
}

TEST(NestedStepsTest, SpansAreThoseOfTheFile) {
  timeline::TraceModel model;
  Kernel(model, profile::LaneKind::kKernels, 1'500, 250, 5);
  Kernel(model, profile::LaneKind::kKernels, 2'500, 100, 6);
  Kernel(model, profile::LaneKind::kKernels, 5'000, 100,
         profile::kOutsideSteps);
  for (const int64_t step : {5, 6}) {
    model.builder().AddStepInterval({.step = step,
                                     .process = model.process(),
                                     .start = (step - 4) * 1'000,
                                     .end = (step - 4) * 1'000 + 800});
  }
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  EXPECT_THAT(Rows(StepsTable(views, -1, 0),
                   {"step", "span_micros", "idle_micros", "idle_share",
                    "busy_micros_gpu_0", "executions"}),
              ElementsAre("5 0.800 0.550 0.688 0.250 1",
                          "6 0.800 0.700 0.875 0.100 1"));
  EXPECT_THAT(Column(StepsTable(views, 6, 0), "step"), ElementsAre("6"));
}

// The kernels of a step may end in the next one, which is then not idle.
TEST(NestedStepsTest, WorkOfAnotherStepIsNotIdleTime) {
  timeline::TraceModel model;
  Kernel(model, profile::LaneKind::kKernels, 1'500, 1'000, 5);
  Kernel(model, profile::LaneKind::kKernels, 2'600, 400, 6);
  for (const int64_t step : {5, 6}) {
    model.builder().AddStepInterval({.step = step,
                                     .process = model.process(),
                                     .start = (step - 4) * 1'000,
                                     .end = (step - 3) * 1'000});
  }
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  EXPECT_THAT(Rows(StepsTable(views, -1, 0),
                   {"step", "idle_micros", "busy_micros_gpu_0"}),
              ElementsAre("5 0.500 0.500", "6 0.100 0.900"));
}

// The largest part that is not computation, if it is known.
TEST(NestedStepsTest, StepsSayWhatTheyWaitFor) {
  timeline::CallsModel model;
  for (const int64_t step : {0, 1}) {
    const int64_t begin = 1'000'000 * step;
    model.step = step;
    const int first = model.Launch(begin, 100);
    model.Kernel("aten::mm", begin + 200, 1'000, first);
    if (step == 0) model.Call("cudaMalloc", begin + 2'000, 50'000);
    const int second = model.Launch(begin + 60'000, 100);
    model.Kernel("aten::mm", begin + 60'200, 1'000, second);
    model.StepInterval(begin, begin + 62'000);
  }
  const profile::Profile profile = std::move(model.trace).Build();
  views::Views views(profile);
  const tables::DataTable table = StepsTable(views, -1, 0);
  EXPECT_THAT(Rows(table, {"step", "avoidable_micros", "cause", "part"}),
              ElementsAre("0 50000 allocation allocation", "1 - - -"));
}

TEST(NestedStepsTest, WithoutIntervalsAStepSpansItsWork) {
  timeline::TraceModel model;
  Kernel(model, profile::LaneKind::kKernels, 100, 50, 0);
  Kernel(model, profile::LaneKind::kKernels, 200, 100, 0);
  model.Add({.name = "op",
             .node = model.Op("aten::mm"),
             .lane = model.Ops(),
             .start = 50,
             .duration = 10});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  EXPECT_THAT(Rows(StepsTable(views, -1, 0),
                   {"span_micros", "idle_micros", "busy_micros_cpu_0"}),
              ElementsAre("0.250 0.100 0.010"));
}

TEST(NestedStepsTest, CommunicationIsExposedWhileNothingIsComputed) {
  timeline::TraceModel model;
  Kernel(model, profile::LaneKind::kKernels, 100, 50, 0);
  Kernel(model, profile::LaneKind::kCommunication, 120, 100, 0);
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  EXPECT_THAT(Rows(StepsTable(views, -1, 0),
                   {"communication_micros", "exposed_communication_micros"}),
              ElementsAre("0.100 0.070"));
}

TEST(NestedStepsTest, TheBusiestDevicesHaveAColumn) {
  timeline::TraceModel model;
  for (int gpu = 0; gpu < 3; ++gpu) {
    model.Add({.name = "kernel",
               .node = model.Op("aten::mm"),
               .lane = model.Stream(gpu, 7, profile::LaneKind::kKernels),
               .start = 100,
               .duration = int64_t{10} * (gpu + 1)});
  }
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const tables::DataTable table = StepsTable(views, -1, 2);
  EXPECT_THAT(Rows(table, {"busy_micros_gpu_1", "busy_micros_gpu_2"}),
              ElementsAre("0.020 0.030"));
  EXPECT_EQ(Fact(table, "more_devices"), "1");
}

TEST(NestedStepsTest, StepsOfAnEngineHavePhases) {
  timeline::TraceModel model;
  for (int step = 0; step < 3; ++step) {
    Kernel(model, profile::LaneKind::kKernels, 100 + int64_t{100} * step, 50,
           step);
    model.builder().AddStepInterval({.step = step,
                                     .process = model.process(),
                                     .start = int64_t{100} * step,
                                     .end = int64_t{100} * step + 40});
  }
  model.builder().AddStepPhase({.step = 0,
                                .process = model.process(),
                                .phase = profile::Phase::kPrefill,
                                .requests = 2,
                                .tokens = 900});
  model.builder().AddStepPhase({.step = 2,
                                .process = model.process(),
                                .phase = profile::Phase::kNone,
                                .requests = 1});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  const tables::DataTable table = StepsTable(views, -1, 0);
  EXPECT_THAT(Rows(table, {"step", "phase", "requests", "tokens", "wall_micros",
                           "busy_micros"}),
              ElementsAre("0 prefill 2 900 0.040 0.050", "1 - - - 0.040 0.050",
                          "2 - 1 - 0.040 0.050"));
  // The device works on each step until the next one begins. So it did for the
  // step before the last one when that began: the last one ends as recorded.
  EXPECT_THAT(Column(table, "done_micros"),
              ElementsAre("0.100", "0.100", "0.040"));
}

TEST(NestedStepsTest, ATraceWithoutListedSteps) {
  timeline::TraceModel model;
  Kernel(model, profile::LaneKind::kKernels, 100, 50, profile::kOutsideSteps);
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  EXPECT_THAT(Column(StepsTable(views, -1, 0), "step"), IsEmpty());
}

}  // namespace
}  // namespace tfprof::inspect
