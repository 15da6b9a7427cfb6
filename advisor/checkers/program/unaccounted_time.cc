// Finds wall time of steps in which nothing was recorded, neither on an
// accelerator nor on the host, so its use is unknown. For ops that are recorded
// one by one, IdleChecker reports it.

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "advisor/step_shares.h"
#include "fmt/format.h"
#include "timeline/intervals.h"
#include "timeline/step_wall.h"
#include "util/arithmetic.h"
#include "util/text/percent.h"

namespace tfprof::advisor {
namespace {
namespace unaccounted_time {

constexpr Rule kRules[] = {
    {"unaccounted_time",
     "For more than the threshold of the steps nothing was recorded on any "
     "device.",
     "share of the wall time", "unaccounted_time",
     Rule::Says::kOnlyThatTimeIsLost},
};
// With this many steps or more, the first is skipped if it is the longest: it
// sets things up.
constexpr size_t kMinSteps = 3;

constexpr CheckerOption kOptions[] = {
    {"unaccounted_time", 0.25, "share", "Less is not reported."},
    {"min_micros", 1000, "us", "Less time per step is not reported."},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  timeline::UnionOfMany all;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    all.Add(device.busy);
    all.Add(device.launching);
  }
  const timeline::Intervals recorded = std::move(all).Take();
  const timeline::Overlap overlap(recorded);
  struct TimedStep {
    int64_t id = 0;
    timeline::Interval span;
  };
  std::vector<TimedStep> spans;
  for (const auto& step : check.profile().steps()) {
    if (!step->listed) continue;
    const std::optional<timeline::Interval> span =
        timeline::StepSpan(check.activities, *step);
    if (span) spans.push_back({step->id, *span});
  }
  const auto longest = std::max_element(
      spans.begin(), spans.end(), [](const TimedStep& a, const TimedStep& b) {
        return a.span.length() < b.span.length();
      });
  if (spans.size() >= kMinSteps && longest == spans.begin()) {
    spans.erase(spans.begin());
  }
  int64_t wall = 0, missing = 0, worst = 0, worst_step = 0;
  const auto steps = static_cast<int64_t>(spans.size());
  for (const TimedStep& step : spans) {
    const timeline::Interval* span = &step.span;
    const int64_t nothing =
        span->length() - overlap.Length(span->start, span->end);
    wall = util::SaturatingAdd(wall, span->length());
    missing = util::SaturatingAdd(missing, nothing);
    if (nothing <= worst) continue;
    worst = nothing;
    worst_step = step.id;
  }
  if (steps == 0 || missing <= 0 ||
      static_cast<double>(missing) / static_cast<double>(steps) <
          static_cast<double>(check.Ticks(settings.Get("min_micros")))) {
    return result;
  }
  Finding f = ShareFinding(check, kRules[0].id, "", missing, wall,
                           settings.Get("unaccounted_time"), missing);
  if (f.value <= f.threshold) return result;
  f.subject = fmt::format("step {}", worst_step);
  f.evidence = "steps";
  f.advice =
      "Record more: Python calls and system calls, or look for what "
      "blocks the program between its operations.";
  f.text = fmt::format(
      "nothing was recorded on any device in {} of the wall time of {} ({} of "
      "{}); most of it in step {} ({})",
      util::Percent(missing, wall),
      steps == 1 ? "the step" : fmt::format("{} steps", steps),
      check.Time(missing), check.Time(wall), worst_step, check.Time(worst));
  result.findings.push_back(std::move(f));
  return result;
}

}  // namespace unaccounted_time
}  // namespace

const Checker kUnaccountedTimeChecker = {
    "UnaccountedTimeChecker",
    "Whether steps have time in which nothing was recorded.",
    Checker::Kind::kAdvice,
    unaccounted_time::kRules,
    unaccounted_time::kOptions,
    unaccounted_time::Check,
    Checker::Needs::kCalls};

}  // namespace tfprof::advisor
