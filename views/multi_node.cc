#include "views/multi_node.h"

namespace tfprof::views {

Snapshot TakeSnapshot(std::span<const profile::NodeId> nodes,
                      const accounting::StatsTable& stats,
                      const profile::NodeTable& table,
                      const std::vector<uint32_t>& accounted,
                      bool accounts_all) {
  Snapshot snapshot;
  for (const profile::NodeId n : nodes) {
    const uint32_t times = accounted[table.types[n]];
    if (times == 0) continue;
    for (uint32_t i = 0; i < times; ++i)
      accounting::AddStats(snapshot.sums, stats[n]);
    ++snapshot.num_nodes;
    snapshot.run_count =
        util::WrapAdd(snapshot.run_count, stats[n][accounting::kRunCount]);
  }
  snapshot.accounted = accounts_all || snapshot.num_nodes > 0;
  return snapshot;
}

}  // namespace tfprof::views
