// Checks whether there are enough steps, and whether their lengths are usual:
// averages include all steps.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/step_wall.h"
#include "util/arithmetic.h"
#include "util/text/counted.h"

namespace tfprof::advisor {
namespace {
namespace health_steps {

using Severity = Finding::Severity;

constexpr Rule kRules[] = {
    {"steps",
     "Bad when there is no step, a warning when there is one or when some take "
     "much longer than the median.",
     "the longest step, as a ratio to the median", "long_step"},
};
constexpr CheckerOption kOptions[] = {
    {"long_step", 2, "ratio",
     "A step that takes more than this many times the median is unusual."},
};

Finding Judge(views::Views& views, double long_step) {
  const profile::Profile& profile = views.profile();
  const bool trace = profile.graph().self_times;
  const std::vector<const profile::Step*> steps = profile.AveragedSteps();
  Finding f;
  f.rule = "steps";
  f.threshold = long_step;
  f.evidence = "steps";
  if (steps.empty()) {
    f.severity = Severity::kCritical;
    f.text = "no step was recorded: there are no times";
    f.advice = trace ? "mark the steps of the program for the profiler"
                     : "load run metadata, of a step run with "
                       "RunOptions.FULL_TRACE";
    return f;
  }
  if (steps.size() == 1) {
    f.severity = Severity::kWarning;
    f.text = "one step, which may be the warm-up";
    f.advice = "record some more steps, after the first ten, and compare them";
    return f;
  }
  std::vector<int64_t> spans;
  for (const profile::Step* step : steps) {
    spans.push_back(profile.Micros(timeline::WallOf(views, *step).ticks));
  }
  std::vector<int64_t> sorted = spans;
  std::nth_element(sorted.begin(), sorted.begin() + sorted.size() / 2,
                   sorted.end());
  const int64_t median = sorted[sorted.size() / 2];
  size_t longer = 0, longest = 0;
  for (size_t i = 0; i < spans.size(); ++i) {
    longer +=
        static_cast<double>(spans[i]) > long_step * static_cast<double>(median);
    if (spans[i] > spans[longest]) longest = i;
  }
  if (median > 0) {
    f.value = static_cast<double>(spans[longest]) / static_cast<double>(median);
  }
  if (longer == 0 || median == 0) {
    f.text = fmt::format("{}, the median takes {}",
                         util::Counted(steps.size(), "step"),
                         tables::FormatMicros(median));
    return f;
  }
  f.severity = Severity::kWarning;
  f.text = fmt::format(
      "{} of {} steps take more than {} the median of {}; step {} takes {}",
      longer, steps.size(),
      long_step == 2 ? "twice" : fmt::format("{} times", long_step),
      tables::FormatMicros(median), steps[longest]->id,
      tables::FormatMicros(spans[longest]));
  f.advice =
      "averages include them: look at a usual step with -step, see steps";
  return f;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  return {.findings = {Judge(input.views, settings.Get("long_step"))},
          .notes = {}};
}

}  // namespace health_steps
}  // namespace

const Checker kStepsChecker = {
    "StepsChecker",         "Whether there are enough steps of a usual length.",
    Checker::Kind::kHealth, health_steps::kRules,
    health_steps::kOptions, health_steps::Check,
    Checker::Needs::kRuns};

}  // namespace tfprof::advisor
