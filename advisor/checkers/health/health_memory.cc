// Checks whether memory was recorded.

#include <cstddef>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/presence.h"
#include "fmt/format.h"

namespace tfprof::advisor {
namespace {
namespace health_memory {

constexpr Rule kRules[] = {
    {"memory", "A warning when no record has bytes.",
     "share of records with bytes"},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  const auto& steps = input.views.profile().steps();
  if (steps.empty()) return {};
  size_t with = 0, groups = 0;
  for (const auto& step : steps) {
    groups += step->num_groups();
    for (size_t g = 0; g < step->num_groups(); ++g) {
      with +=
          step->sums.requested_bytes[g] != 0 || step->sums.output_bytes[g] != 0;
    }
  }
  return {.findings = {PresenceFinding(
              "memory", with, groups,
              fmt::format("{} of {} records of a node in a step have bytes",
                          with, groups),
              "-select bytes and peak_bytes have nothing to show")},
          .notes = {}};
}

}  // namespace health_memory
}  // namespace

const Checker kMemoryChecker = {"MemoryChecker",
                                "Whether memory was recorded.",
                                Checker::Kind::kHealth,
                                health_memory::kRules,
                                {},
                                health_memory::Check};

}  // namespace tfprof::advisor
