#include "flops/flops_column.h"

#include "flops/formulas.h"

namespace tfprof {

FlopsColumn MakeFlopsColumn(const Profile& profile, FlopsSource source,
                            const GraphFlops* graph) {
  const NodeTable& nodes = profile.nodes();
  FlopsColumn column;
  column.flops.assign(nodes.size(), 0);
  FlopsColumn::Counts& counts = column.counts;
  if (source == FlopsSource::kOff) return column;
  for (NodeId n = 0; n < nodes.size(); ++n) {
    const int64_t logged =
        source == FlopsSource::kGraph ? 0 : nodes.FloatOps(n);
    if (logged != 0 || source == FlopsSource::kOpLog) {
      column.flops[n] = logged;
      counts.op_log += logged != 0;
      continue;
    }
    column.flops[n] = graph->flops[n];
    counts.saturated += graph->flops[n] == kMaxFlops;
    switch (graph->origin[n]) {
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
  return column;
}

}  // namespace tfprof
