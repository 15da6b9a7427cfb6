// Checks whether nodes have a call stack.

#include <cstddef>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/presence.h"
#include "fmt/format.h"

namespace tfprof::advisor {
namespace {
namespace health_code {

constexpr Rule kRules[] = {
    {"code", "A warning when no node has a call stack.",
     "share of nodes with a call stack"},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  const profile::Profile& profile = input.views.profile();
  const profile::NodeTable& nodes = profile.nodes();
  size_t with = 0;
  for (const profile::StackId stack : nodes.stack)
    with += stack != profile::kNoStack;
  return {
      .findings = {PresenceFinding(
          "code", with, nodes.size(),
          fmt::format("{} of {} nodes have a call stack", with, nodes.size()),
          profile.graph().self_times
              ? "record the trace with call stacks for code, list and cd code:"
              : "add the op log (write_op_log with add_trace=True) for code, "
                "list and cd code:")},
      .notes = {}};
}

}  // namespace health_code
}  // namespace

const Checker kCodeChecker = {"CodeChecker",
                              "Whether nodes have a call stack.",
                              Checker::Kind::kHealth,
                              health_code::kRules,
                              {},
                              health_code::Check};

}  // namespace tfprof::advisor
