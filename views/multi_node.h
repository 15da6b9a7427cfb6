// Multi nodes: rows of the op and code views, which stand for many graph nodes.
//
// A snapshot is a multi node seen through a list of account types: the sums of
// the nodes that match. Two oddities of the reference are kept: a node that
// matches k patterns is summed k times (except its run count, where the op view
// prints it), and a row without any matching node is accounted exactly when the
// list is [".*"]. Behaviour: reference spec 3.8.

#ifndef TFPROF_VIEWS_MULTI_NODE_H_
#define TFPROF_VIEWS_MULTI_NODE_H_

#include <cstdint>
#include <span>
#include <vector>

#include "views/context.h"

namespace tfprof {

struct Snapshot {
  bool accounted = false;
  Stats sums = {};
  int64_t num_nodes = 0;  // distinct nodes that match
  int64_t run_count = 0;  // over distinct nodes
};

Snapshot TakeSnapshot(std::span<const NodeId> nodes, const StatsTable& stats,
                      const NodeTable& table,
                      const std::vector<uint32_t>& accounted,
                      bool accounts_all);

}  // namespace tfprof

#endif  // TFPROF_VIEWS_MULTI_NODE_H_
