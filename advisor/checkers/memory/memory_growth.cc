// Finds bytes in use that grow from step to step, in the counters of a trace,
// in which allocators report their bytes in use. (MemoryPeakChecker finds
// growth in profiles of TensorFlow 1.)
//
// Memory goes up and down within a step, so the smallest level of each step is
// compared: it leaves out everything that the step frees. The first step is
// skipped, because it sets things up.

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/program/device_check.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "profile/tables/counters.h"
#include "tables/numbers.h"
#include "timeline/account/step_wall.h"
#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof::advisor {
namespace {
namespace memory_growth {

constexpr Rule kRules[] = {
    {"growing_bytes",
     "The least bytes in use of a step grow from each step to the next.",
     "growth from the second step to the last", "growth"},
};
constexpr CheckerOption kOptions[] = {
    {"growth", 0.1, "share",
     "Less growth from the second step to the last is not reported."},
    {"min_growth_bytes", 1e6, "bytes", "Smaller growth is not reported."},
    {"min_steps", 4, "count", "Fewer steps are not checked."},
};

constexpr int64_t kNanosPerMicro = 1000;

// The smallest level of a counter in each step in which it was measured.
// `steps` are ordered by time, in nanoseconds.
std::vector<double> LeastLevels(const profile::Counter& counter,
                                const std::vector<timeline::Interval>& steps) {
  std::vector<double> least;
  double level = 0;
  size_t sample = 0;
  const auto next = [&] {
    const double value = counter.value[sample++];
    level =
        counter.kind == profile::Counter::Kind::kChange ? level + value : value;
  };
  for (const timeline::Interval& step : steps) {
    while (sample < counter.size() && counter.time[sample] < step.start) next();
    const bool known = sample > 0;
    const double before = level;
    std::optional<double> here;
    while (sample < counter.size() && counter.time[sample] < step.end) {
      next();
      here = std::min(here.value_or(level), level);
    }
    if (here) least.push_back(known ? std::min(before, *here) : *here);
  }
  return least;
}

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  CheckResult result;
  const DeviceCheck check = OpenDevices(input);
  const profile::Profile& profile = check.profile();
  std::vector<timeline::Interval> steps;
  for (const auto& step : profile.steps()) {
    if (!step->listed) continue;
    const std::optional<timeline::Interval> span =
        timeline::StepSpan(check.activities, *step);
    if (!span) continue;
    const auto nanos = [&](int64_t ticks) {
      return util::ToInteger(static_cast<double>(ticks) * kNanosPerMicro /
                             static_cast<double>(check.ticks_per_micro));
    };
    steps.push_back({nanos(span->start), nanos(span->end)});
  }
  std::sort(steps.begin(), steps.end(),
            [](const timeline::Interval& a, const timeline::Interval& b) {
              return a.start < b.start;
            });
  bool judged = false;
  for (const profile::Counter& counter : profile.counters()) {
    if (counter.unit == profile::kNone ||
        profile.strings().Get(counter.unit) != "bytes") {
      continue;
    }
    const std::vector<double> least = LeastLevels(counter, steps);
    if (least.size() < 2 ||
        static_cast<double>(least.size()) < settings.Get("min_steps")) {
      continue;
    }
    judged = true;
    const bool grows = std::adjacent_find(least.begin() + 1, least.end(),
                                          [](double a, double b) {
                                            return a >= b;
                                          }) == least.end();
    const double growth = least.back() - least[1];
    if (!grows || least[1] <= 0 || growth < settings.Get("min_growth_bytes") ||
        growth / least[1] < settings.Get("growth")) {
      continue;
    }
    Finding f;
    f.rule = kRules[0].id;
    f.severity = Finding::Severity::kWarning;
    f.subject = std::string(profile.strings().Get(counter.name));
    f.value = growth / least[1];
    f.threshold = settings.Get("growth");
    f.evidence = "op -order_by bytes -select bytes,occurrence";
    f.advice =
        "Look for what each step keeps: losses and outputs in a list, a graph "
        "that is not freed (use detach() or item()), a cache without a limit.";
    f.text = fmt::format(
        "{}: the bytes in use grow with each of {} steps, from {} to {} "
        "({:.1f}%, {} for each step)",
        f.subject, least.size(), tables::BytesText(util::ToInteger(least[1])),
        tables::BytesText(util::ToInteger(least.back())), 100 * f.value,
        tables::BytesText(util::ToInteger(
            growth /
            static_cast<double>(std::max<size_t>(least.size(), 3) - 2))));
    result.findings.push_back(std::move(f));
  }
  if (!judged) {
    result.notes.push_back(fmt::format(
        "Missing bytes in use of {} steps. Skip MemoryGrowthChecker",
        settings.Get("min_steps")));
  }
  return result;
}

}  // namespace memory_growth
}  // namespace

const Checker kMemoryGrowthChecker = {
    "MemoryGrowthChecker",
    "Whether the bytes in use grow from step to step.",
    Checker::Kind::kAdvice,
    memory_growth::kRules,
    memory_growth::kOptions,
    memory_growth::Check,
    Checker::Needs::kCounters};

}  // namespace tfprof::advisor
