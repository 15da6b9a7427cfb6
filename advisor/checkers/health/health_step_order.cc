// Checks whether the steps of each task run one after the other.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "timeline/activity.h"

namespace tfprof::advisor {
namespace {
namespace health_step_order {

using Severity = Finding::Severity;

constexpr Rule kRules[] = {
    {"step_order", "A warning when steps of one task overlap.",
     "overlaps of two steps"},
};

// The span of a step on a task.
struct Span {
  int64_t start = 0;
  int64_t end = 0;
  int64_t step = 0;
};

// The steps of each process, as recorded in the input.
std::map<uint32_t, std::vector<Span>> RecordedSpans(
    const profile::Profile& profile) {
  std::map<uint32_t, std::vector<Span>> processes;
  const profile::StepIntervals& intervals = profile.step_intervals();
  for (size_t row = 0; row < intervals.size(); ++row) {
    const profile::StepInterval interval = intervals[row];
    processes[interval.process].push_back(
        {interval.start, interval.end, interval.step});
  }
  return processes;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  const profile::Profile& profile = input.views.profile();
  const std::vector<const profile::Step*> steps = profile.AveragedSteps();
  if (steps.size() < 2) return {};
  std::map<uint32_t, std::vector<Span>> tasks = RecordedSpans(profile);
  if (tasks.empty()) {  // by clock
    for (const profile::Step* step : steps) {
      const auto activity = input.views.Kept<timeline::Activities>().Of(*step);
      for (const timeline::ClockActivity& clock : activity->clocks) {
        if (clock.runs.empty()) continue;
        tasks[clock.clock].push_back(
            {clock.span.start, clock.span.end, step->id});
      }
    }
  }
  size_t overlapping = 0;
  int64_t first = 0, second = 0;
  for (auto& [task, spans] : tasks) {
    std::sort(spans.begin(), spans.end(),
              [](const Span& a, const Span& b) { return a.start < b.start; });
    for (size_t i = 1; i < spans.size(); ++i) {
      if (spans[i].start >= spans[i - 1].end) continue;
      if (overlapping++ > 0) continue;
      first = spans[i - 1].step;
      second = spans[i].step;
    }
  }
  Finding f;
  f.rule = "step_order";
  f.value = static_cast<double>(overlapping);
  f.evidence = "steps";
  if (overlapping == 0) {
    f.text = "no two steps overlap";
  } else {
    f.severity = Severity::kWarning;
    f.text = fmt::format("steps overlap {} times, first steps {} and {}",
                         overlapping, first, second);
    f.advice =
        "they ran at the same time and slowed each other down, or files of "
        "several "
        "runs are mixed";
  }
  return {.findings = {std::move(f)}, .notes = {}};
}

}  // namespace health_step_order
}  // namespace

const Checker kStepOrderChecker = {
    "StepOrderChecker",
    "Whether steps of one task run one after the other.",
    Checker::Kind::kHealth,
    health_step_order::kRules,
    {},
    health_step_order::Check};

}  // namespace tfprof::advisor
