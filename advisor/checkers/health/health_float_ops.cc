// Checks whether the float operations of nodes are known.

#include <cstddef>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/presence.h"
#include "fmt/format.h"

namespace tfprof::advisor {
namespace {
namespace health_float_ops {

constexpr Rule kRules[] = {
    {"float_ops", "A warning when no node has float operations.",
     "share of nodes with float operations"},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  const profile::Profile& profile = input.views.profile();
  const profile::NodeTable& nodes = profile.nodes();
  size_t with = 0;
  for (profile::NodeId n = 0; n < nodes.size(); ++n)
    with += nodes.FloatOps(n) != 0;
  return {.findings = {PresenceFinding(
              "float_ops", with, nodes.size(),
              fmt::format("{} of {} nodes have float operations", with,
                          nodes.size()),
              profile.graph().self_times
                  ? "see roofline, which computes them from shapes"
                  : "add an op log, or let -flops auto compute them")},
          .notes = {}};
}

}  // namespace health_float_ops
}  // namespace

const Checker kFloatOpsChecker = {"FloatOpsChecker",
                                  "Whether float operations are known.",
                                  Checker::Kind::kHealth,
                                  health_float_ops::kRules,
                                  {},
                                  health_float_ops::Check,
                                  Checker::Needs::kRuns};

}  // namespace tfprof::advisor
