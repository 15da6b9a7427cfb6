#include "advisor/weigh.h"

#include <cstdint>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "timeline/trace_testing.h"

namespace tfprof::advisor {
namespace {
namespace weigh_test {

using ::testing::ElementsAre;
using Severity = Finding::Severity;

Finding Of(std::string_view rule, int64_t saving,
           Severity severity = Severity::kWarning,
           std::string_view subject = "gpu:0") {
  Finding f;
  f.rule = rule;
  f.severity = severity;
  f.subject = subject;
  f.saving_micros = saving;
  f.text = rule;
  return f;
}

Advice Findings(std::vector<Finding> findings) {
  Advice advice;
  advice.sections.push_back(
      {.checker = nullptr, .findings = std::move(findings), .notes = {}});
  return advice;
}

std::vector<std::string_view> Rules(const Advice& advice) {
  std::vector<std::string_view> rules;
  for (const Finding& f : advice.sections[0].findings) rules.push_back(f.rule);
  return rules;
}

// Steps of 100, 100 and 400 us: 200 on average.
profile::Profile ThreeSteps() {
  timeline::TraceModel model;
  constexpr int64_t kTicks = 1000;
  for (const auto& [step, start, end] :
       {std::tuple(1, 0, 100), {2, 100, 200}, {3, 200, 600}}) {
    model.Add({.name = "aten::mm",
               .node = model.Op("aten::mm"),
               .lane = model.Ops(),
               .start = start * kTicks,
               .duration = (end - start) * kTicks,
               .step = step});
    model.builder().AddStepInterval({.step = step,
                                     .process = model.process(),
                                     .start = start * kTicks,
                                     .end = end * kTicks});
  }
  return std::move(model).Build();
}

// A device is judged until it is done with a step, after the host.
TEST(LimitSavingsTest, AStepLastsUntilItsDevicesAreDone) {
  timeline::TraceModel model;
  constexpr int64_t kTicks = 1000;
  model.builder().AddStepInterval(
      {.step = 0, .process = model.process(), .end = 100 * kTicks});
  model.Add({.name = "gemm",
             .lane = model.Stream(0, 7, profile::LaneKind::kKernels),
             .start = 50 * kTicks,
             .duration = 650 * kTicks});
  const profile::Profile profile = std::move(model).Build();
  views::Views views(profile);
  Advice advice = Findings({Of("a", 300), Of("b", 800)});
  LimitSavings(views, advice);
  EXPECT_EQ(advice.sections[0].findings[0].saving_micros, 300);
  EXPECT_EQ(advice.sections[0].findings[1].saving_micros, 700);
}

TEST(LimitSavingsTest, NoSavingIsAboveAStep) {
  const profile::Profile profile = ThreeSteps();
  views::Views views(profile);
  Advice advice = Findings({Of("a", 150), Of("b", 250), Of("c", 0)});
  LimitSavings(views, advice);
  const std::vector<Finding>& findings = advice.sections[0].findings;
  EXPECT_EQ(findings[0].saving_micros, 150);
  EXPECT_EQ(findings[1].saving_micros, 200);
  EXPECT_EQ(findings[2].saving_micros, 0);
}

TEST(LimitSavingsTest, TimeBetweenStepsIsNotInThem) {
  const profile::Profile profile = ThreeSteps();
  views::Views views(profile);
  Advice advice = Findings({Of("between_steps", 250)});
  LimitSavings(views, advice);
  EXPECT_EQ(advice.sections[0].findings[0].saving_micros, 250);
}

TEST(LimitSavingsTest, WhatSavesLittleIsNotCritical) {
  const profile::Profile profile = ThreeSteps();
  views::Views views(profile);
  Advice advice = Findings(
      {Of("a", 49, Severity::kCritical), Of("b", 50, Severity::kCritical),
       Of("unknown", 0, Severity::kCritical), Of("d", 1), Of("e", 2)});
  LimitSavings(views, advice);
  const std::vector<Finding>& findings = advice.sections[0].findings;
  EXPECT_EQ(findings[0].severity, Severity::kWarning);
  EXPECT_EQ(findings[1].severity, Severity::kCritical);
  EXPECT_EQ(findings[2].severity, Severity::kCritical);
  EXPECT_EQ(findings[3].severity, Severity::kInfo);
  EXPECT_EQ(findings[4].severity, Severity::kWarning);
}

TEST(LimitSavingsTest, NothingRan) {
  const profile::Profile profile;
  views::Views views(profile);
  Advice advice = Findings({Of("a", 150)});
  LimitSavings(views, advice);
  EXPECT_EQ(advice.sections[0].findings[0].saving_micros, 150);
}

TEST(DropDoublesTest, OneLossIsOneFinding) {
  Advice advice = Findings({Of("launch_bound", 100), Of("short_kernels", 80),
                            Of("compilation", 50),
                            Of("recompilation", 40, Severity::kWarning, "")});
  DropDoubles(advice);
  EXPECT_THAT(Rules(advice), ElementsAre("launch_bound", "recompilation"));
}

// The subject of one is an operation, of the other a device.
TEST(DropDoublesTest, AWaitForInputIsOneFinding) {
  Advice advice =
      Findings({Of("input_wait", 100, Severity::kWarning, "QueueDequeueV2"),
                Of("input_gaps", 90), Of("input_gaps", 300)});
  DropDoubles(advice);
  EXPECT_THAT(Rules(advice), ElementsAre("input_wait", "input_gaps"));
}

TEST(DropDoublesTest, OtherLossesStay) {
  Advice advice = Findings(
      {Of("launch_bound", 100), Of("short_kernels", 202),
       Of("short_kernels", 80, Severity::kWarning, "gpu:1"),
       Of("compilation", 50), Of("recompilation", 0, Severity::kWarning, ""),
       Of("compiles_in_steps", 20, Severity::kWarning, "")});
  DropDoubles(advice);
  EXPECT_THAT(Rules(advice),
              ElementsAre("launch_bound", "short_kernels", "short_kernels",
                          "compilation", "recompilation", "compiles_in_steps"));
}

}  // namespace weigh_test
}  // namespace
}  // namespace tfprof::advisor
