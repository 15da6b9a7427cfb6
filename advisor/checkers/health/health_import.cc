// Checks whether all of the input was read.

#include <cstdint>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "util/text/counted.h"

namespace tfprof::advisor {
namespace {
namespace health_import {

using Severity = Finding::Severity;

constexpr Rule kRules[] = {
    {"import",
     "Bad when records could not be read, a warning when steps are kept as "
     "sums only.",
     "damaged records"},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  int64_t damaged = 0, dropped = 0;
  for (const loaders::ImportLog::Entry& entry : input.log.entries()) {
    (entry.severity == loaders::ImportLog::kDamage ? damaged : dropped) +=
        entry.count;
  }
  const auto& steps = input.views.profile().steps();
  size_t aggregated = 0;
  for (const auto& step : steps) aggregated += step->aggregated;
  Finding f;
  f.rule = "import";
  f.value = static_cast<double>(damaged);
  f.evidence = "status";
  if (damaged > 0) {
    f.severity = Severity::kCritical;
    f.text = util::Counted(damaged, "record") + " could not be read";
    f.advice = "copy the files again; status lists what is missing";
  } else if (aggregated > 0) {
    f.severity = Severity::kWarning;
    f.text = fmt::format("{} of {} steps are kept as sums only", aggregated,
                         steps.size());
    f.advice = "load with a larger --max_memory to see single executions";
  } else if (dropped > 0) {
    f.text = fmt::format("no record is damaged; status lists {} note{}",
                         dropped, dropped == 1 ? "" : "s");
  } else {
    f.text = "all was read";
  }
  return {.findings = {std::move(f)}, .notes = {}};
}

}  // namespace health_import
}  // namespace

const Checker kImportChecker = {"ImportChecker",
                                "Whether all of the input was read.",
                                Checker::Kind::kHealth,
                                health_import::kRules,
                                {},
                                health_import::Check};

}  // namespace tfprof::advisor
