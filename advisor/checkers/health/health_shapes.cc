// Checks whether nodes have output shapes.

#include <cstddef>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/presence.h"
#include "fmt/format.h"

namespace tfprof::advisor {
namespace {
namespace health_shapes {

constexpr Rule kRules[] = {
    {"shapes", "A warning when no node has output shapes.",
     "share of nodes with shapes"},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  const profile::Profile& profile = input.views.profile();
  const profile::NodeTable& nodes = profile.nodes();
  if (nodes.size() == 0) return {};
  size_t with = 0;
  for (profile::NodeId n = 0; n < nodes.size(); ++n) {
    with += nodes.shape_begin[n + 1] > nodes.shape_begin[n];
  }
  return {
      .findings = {PresenceFinding(
          "shapes", with, nodes.size(),
          fmt::format("{} of {} nodes have output shapes", with, nodes.size()),
          profile.graph().self_times
              ? "the trace has none for -select input_shapes; some formats "
                "keep them in the records of executions"
              : "write the graph with add_shapes=True; input_shapes need it")},
      .notes = {}};
}

}  // namespace health_shapes
}  // namespace

const Checker kShapesChecker = {"ShapesChecker",
                                "Whether nodes have output shapes.",
                                Checker::Kind::kHealth,
                                health_shapes::kRules,
                                {},
                                health_shapes::Check,
                                Checker::Needs::kRuns};

}  // namespace tfprof::advisor
