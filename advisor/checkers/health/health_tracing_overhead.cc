// Checks whether writing the records took a large part of the time. Writing a
// record takes about a microsecond, as long as a tiny execution.

#include <cstddef>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/presence.h"
#include "fmt/format.h"

namespace tfprof::advisor {
namespace {
namespace health_tracing_overhead {

using Severity = Finding::Severity;

constexpr Rule kRules[] = {
    {"tracing_overhead",
     "A warning when more executions than the threshold are tiny.",
     "share of executions that are tiny", "overhead"},
};
constexpr CheckerOption kOptions[] = {
    {"tiny", 3, "us", "An execution that takes no longer is tiny."},
    {"overhead", 0.5, "share",
     "A larger share of tiny executions is a warning."},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  const double tiny_micros = settings.Get("tiny");
  size_t all = 0, tiny = 0;
  for (const auto& step : input.views.profile().steps()) {
    for (size_t e = 0; e < step->num_executions(); ++e) {
      if (!step->HasStart(e)) continue;
      ++all;
      tiny += static_cast<double>(step->exec_duration.Micros(e)) <= tiny_micros;
    }
  }
  if (all == 0) return {};
  Finding f;
  f.rule = "tracing_overhead";
  f.value = Share(tiny, all);
  f.threshold = settings.Get("overhead");
  f.evidence = "op -order_by occurrence -select micros,occurrence";
  f.text = fmt::format("{:.0f} % of {} executions take {} us or less",
                       100 * f.value, all, tiny_micros);
  if (f.value > f.threshold) {
    f.severity = Severity::kWarning;
    f.advice =
        "tracing may cost as much as they do: compare the step's time "
        "with that of an untraced one";
  }
  return {.findings = {std::move(f)}, .notes = {}};
}

}  // namespace health_tracing_overhead
}  // namespace

const Checker kTracingOverheadChecker = {
    "TracingOverheadChecker",
    "Whether writing the records took a good part of the time.",
    Checker::Kind::kHealth,
    health_tracing_overhead::kRules,
    health_tracing_overhead::kOptions,
    health_tracing_overhead::Check};

}  // namespace tfprof::advisor
