// Multi nodes: rows of the op and code views, which combine many graph nodes.
//
// A snapshot is a multi node with a list of account types applied: the sums of
// the nodes that match. It keeps two oddities of the reference: a node that
// matches k patterns is added k times (except to the run count that the op view
// prints), and a row without any matching node is accounted only if the list is
// [".*"]. Behaviour: reference spec 3.8.

#ifndef TFPROF_VIEWS_MULTI_NODE_H_
#define TFPROF_VIEWS_MULTI_NODE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "views/context.h"

namespace tfprof::views {

struct Snapshot {
  bool accounted = false;
  accounting::Stats sums = {};
  int64_t num_nodes = 0;  // distinct matching nodes
  int64_t run_count = 0;  // counts each node once
};

Snapshot TakeSnapshot(std::span<const profile::NodeId> nodes,
                      const accounting::StatsTable& stats,
                      const profile::NodeTable& table,
                      const std::vector<uint32_t>& accounted,
                      bool accounts_all);

}  // namespace tfprof::views

#endif  // TFPROF_VIEWS_MULTI_NODE_H_
