#include "flops/flops_column.h"

#include "flops/formulas.h"

namespace tfprof::flops {
namespace {

// Counts a node whose number comes from the graph.
void CountOrigin(FlopsOrigin origin, FlopsColumn::Counts& counts) {
  switch (origin) {
    case FlopsOrigin::kNoFormula:
      break;
    case FlopsOrigin::kGraph:
      ++counts.graph;
      break;
    case FlopsOrigin::kRunTime:
      ++counts.run_time;
      break;
    case FlopsOrigin::kPartOfCall:
      ++counts.part_of_call;
      break;
    case FlopsOrigin::kNoShapes:
      ++counts.no_shapes;
      break;
    case FlopsOrigin::kNotSupported:
      ++counts.not_supported;
      break;
  }
}

}  // namespace

FlopsColumn MakeFlopsColumn(const profile::Profile& profile, FlopsSource source,
                            const GraphFlops* graph) {
  const profile::NodeTable& nodes = profile.nodes();
  FlopsColumn column;
  column.flops.assign(nodes.size(), 0);
  FlopsColumn::Counts& counts = column.counts;
  if (source == FlopsSource::kOff) return column;
  int64_t sum = 0;
  for (profile::NodeId n = 0; n < nodes.size(); ++n) {
    int64_t& flops = column.flops[n];
    if (source != FlopsSource::kGraph) flops = nodes.FloatOps(n);
    counts.op_log += flops != 0;
    if (flops == 0 && source != FlopsSource::kOpLog) {
      flops = graph->flops[n];
      counts.saturated += flops == kMaxFlops;
      CountOrigin(graph->origin[n], counts);
    }
    counts.sum_is_too_large |= __builtin_add_overflow(sum, flops, &sum);
  }
  return column;
}

}  // namespace tfprof::flops
