#include "inspect/nodes/fusion_table.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "flops/fusion_parts.h"
#include "inspect/time_cells.h"
#include "tables/table_builder.h"

namespace tfprof::inspect {

tables::DataTable FusedTable(const profile::Profile& profile,
                             profile::NodeId node, int64_t time,
                             size_t max_rows) {
  tables::TableBuilder table(
      "fused", {{"estimated_micros", "estimated", util::Unit::kMicros,
                 /*heat=*/true},
                {"share", "share", util::Unit::kShare},
                {"float_ops", "operations", util::Unit::kCount},
                {"bytes_accessed", "bytes", util::Unit::kBytes},
                {"op", "op", util::Unit::kText},
                {"name", "name", util::Unit::kText}});
  const std::vector<flops::FusionPart> parts =
      flops::FusionParts(profile, node);
  const std::vector<int64_t> times = flops::DivideTime(time, parts);
  std::vector<size_t> order(parts.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return times[a] > times[b]; });
  for (const size_t i : order) {
    if (max_rows > 0 && table.size() >= max_rows) break;
    const flops::FusionPart& part = parts[i];
    const bool known = part.flops > 0 || part.bytes > 0;
    table.AddRow(
        {TicksCell(times[i], profile.ticks_per_micro()),
         tables::ShareCell(times[i], time), tables::IntCell(part.flops, known),
         tables::IntCell(part.bytes, known),
         tables::TextCell(profile.strings().Get(profile.nodes().op[part.node])),
         tables::TextCell(profile.node_name(part.node))});
  }
  table.SetTotalRows(parts.size());
  return std::move(table).Build();
}

}  // namespace tfprof::inspect
