// Checks whether the nodes of the graph ran in the recorded steps.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/presence.h"
#include "fmt/format.h"

namespace tfprof::advisor {
namespace {
namespace health_coverage {

using Severity = Finding::Severity;

constexpr Rule kRules[] = {
    {"coverage",
     "Bad when no node of the graph ran, a warning when less than the "
     "threshold did.",
     "share of nodes that ran", "low_coverage"},
};
constexpr CheckerOption kOptions[] = {
    // A training graph also has nodes that save, restore and initialize, so
    // even one half is usual.
    {"low_coverage", 0.1, "share",
     "A smaller share of nodes that ran is a warning."},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings& settings) {
  const profile::Profile& profile = input.views.profile();
  const size_t nodes = profile.nodes().size();
  if (nodes == 0 || profile.steps().empty()) return {};
  std::vector<uint8_t> ran(nodes, 0);
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) ran[step->node[g]] = 1;
  }
  const auto count =
      static_cast<size_t>(std::count(ran.begin(), ran.end(), uint8_t{1}));
  Finding f;
  f.rule = "coverage";
  f.value = Share(count, nodes);
  f.threshold = settings.Get("low_coverage");
  f.evidence = "op -select occurrence";
  f.text =
      fmt::format("{} of {} nodes ran ({:.0f} %)", count, nodes, 100 * f.value);
  if (count == 0) {
    f.severity = Severity::kCritical;
    f.advice =
        profile.graph().self_times
            ? "the file has a program and no execution of its operations"
            : "the run metadata are of another graph, or of an untraced step";
  } else if (f.value < f.threshold && !profile.graph().self_times) {
    f.severity = Severity::kWarning;
    f.advice = "check that graph and run metadata belong together";
  }
  return {.findings = {std::move(f)}, .notes = {}};
}

}  // namespace health_coverage
}  // namespace

const Checker kCoverageChecker = {
    "CoverageChecker",
    "Whether the nodes of the graph ran in the recorded steps.",
    Checker::Kind::kHealth,
    health_coverage::kRules,
    health_coverage::kOptions,
    health_coverage::Check};

}  // namespace tfprof::advisor
