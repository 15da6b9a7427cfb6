#include "inspect/nodes/fused.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "flops/fusion_parts.h"
#include "inspect/time_cells.h"
#include "tables/table_builder.h"

namespace tfprof {

DataTable FusedTable(const Profile& profile, NodeId node, int64_t time,
                     size_t max_rows) {
  TableBuilder table("fused", {{"estimated_micros", "estimated", Unit::kMicros,
                                /*heat=*/true},
                               {"share", "share", Unit::kShare},
                               {"float_ops", "operations", Unit::kCount},
                               {"bytes_accessed", "bytes", Unit::kBytes},
                               {"op", "op", Unit::kText},
                               {"name", "name", Unit::kText}});
  const std::vector<FusionPart> parts = FusionParts(profile, node);
  const std::vector<int64_t> times = DivideTime(time, parts);
  std::vector<size_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return times[a] > times[b]; });
  for (const size_t i : order) {
    if (max_rows > 0 && table.size() >= max_rows) break;
    const FusionPart& part = parts[i];
    const bool known = part.flops > 0 || part.bytes > 0;
    table.AddRow(
        {TicksCell(times[i], profile.ticks_per_micro()),
         ShareCell(times[i], time), IntCell(part.flops, known),
         IntCell(part.bytes, known),
         TextCell(profile.strings().Get(profile.nodes().op[part.node])),
         TextCell(profile.node_name(part.node))});
  }
  table.SetTotalRows(parts.size());
  return std::move(table).Build();
}

}  // namespace tfprof
