// Checks whether executions have a start time.

#include <cstddef>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/presence.h"
#include "fmt/format.h"

namespace tfprof::advisor {
namespace {
namespace health_start_times {

using Severity = Finding::Severity;

constexpr Rule kRules[] = {
    {"start_times",
     "A warning when some executions have no start time, bad when most have "
     "none.",
     "share of executions without one"},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  size_t records = 0, without = 0;
  for (const auto& step : input.views.profile().steps()) {
    records += step->num_executions();
    for (size_t e = 0; e < step->num_executions(); ++e) {
      without += !step->HasStart(e);
    }
  }
  if (records == 0) return {};
  Finding f;
  f.rule = "start_times";
  f.value = Share(without, records);
  f.evidence = "status";
  if (without == 0) {
    f.text = fmt::format("all {} executions have a start time", records);
  } else {
    f.severity =
        without * 2 > records ? Severity::kCritical : Severity::kWarning;
    f.text =
        fmt::format("{} of {} executions have no start time", without, records);
    f.advice = "they count as runs without time: sums of time are too small";
  }
  return {.findings = {std::move(f)}, .notes = {}};
}

}  // namespace health_start_times
}  // namespace

const Checker kStartTimesChecker = {"StartTimesChecker",
                                    "Whether executions have a start time.",
                                    Checker::Kind::kHealth,
                                    health_start_times::kRules,
                                    {},
                                    health_start_times::Check,
                                    Checker::Needs::kRuns};

}  // namespace tfprof::advisor
