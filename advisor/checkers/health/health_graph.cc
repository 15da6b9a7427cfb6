// Checks whether there is a graph, and whether it is the graph that ran.

#include <cstddef>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "advisor/presence.h"
#include "fmt/format.h"
#include "util/text/counted.h"

namespace tfprof::advisor {
namespace {
namespace health_graph {

using Severity = Finding::Severity;

constexpr Rule kRules[] = {
    {"graph",
     "Bad when there is no node or most nodes are not in the graph, a warning "
     "when there is no graph.",
     "share of nodes that are not in the graph"},
};

CheckResult Check(const CheckerInput& input, const CheckerSettings&) {
  const profile::Profile& profile = input.views.profile();
  const profile::NodeTable& nodes = profile.nodes();
  const bool trace = profile.graph().self_times;
  // Nodes that exist only in run metadata have their op as their name.
  size_t made = 0;
  for (profile::NodeId n = 0; n < nodes.size() && !trace; ++n) {
    made +=
        nodes.record[n] == profile::kNoRecord && nodes.op[n] == nodes.name[n];
  }
  Finding f;
  f.rule = "graph";
  f.value = Share(made, nodes.size());
  f.evidence = "status";
  if (nodes.size() == 0) {
    f.severity = Severity::kCritical;
    f.text = "there is no node";
    f.advice = "load a graph, run metadata or a saved profile";
  } else if (trace) {
    f.text = nodes.edge_source.empty()
                 ? fmt::format("{}; the trace says nothing about inputs",
                               util::Counted(nodes.size(), "node"))
                 : fmt::format("{}, {}", util::Counted(nodes.size(), "node"),
                               util::Counted(nodes.edge_source.size(), "edge"));
  } else if (made == nodes.size()) {
    f.severity = Severity::kWarning;
    f.text = "there are run metadata, but no graph";
    f.advice = "load the graph as well: types, shapes and inputs come from it";
  } else if (made * 2 > nodes.size()) {
    f.severity = Severity::kCritical;
    f.text =
        fmt::format("{} of {} nodes are in run metadata and not in the graph",
                    made, nodes.size());
    f.advice =
        "load the graph that ran: this one is of another program, or from "
        "before it was optimized";
  } else {
    f.text = fmt::format("{}, {} of them only in run metadata",
                         util::Counted(nodes.size(), "node"), made);
  }
  return {.findings = {std::move(f)}, .notes = {}};
}

}  // namespace health_graph
}  // namespace

const Checker kGraphChecker = {
    "GraphChecker",
    "Whether there is a graph, and whether it is the one that ran.",
    Checker::Kind::kHealth,
    health_graph::kRules,
    {},
    health_graph::Check,
    Checker::Needs::kRuns};

}  // namespace tfprof::advisor
