// Node: everything that a profile knows about one node, as `show` tells it.

#ifndef TFPROF_INSPECT_NODE_H_
#define TFPROF_INSPECT_NODE_H_

#include <cstddef>
#include <vector>

#include "exporters/data_table.h"
#include "profile/profile.h"
#include "views/options.h"
#include "views/views.h"

namespace tfprof {

// Tables, those without anything in them left out:
//
//   node             facts: op, types, device, sums of the step (or average)
//   node.outputs     by output: shape, bytes recorded in the last step it ran
//   node.attributes  decoded
//   node.inputs      by position, control inputs last as in the graph
//   node.consumers   who reads it
//   node.steps       a row for each step in which it ran: the accounting
//   node.executions  a row for each record: device, offset in its step, time
//   node.memory      a row for each scheduling with memory besides outputs
//   node.allocations what the allocators of GPUs recorded for it
//   node.source      the call stack that made it, outermost first
//
// Tables have at most `max_rows` rows; 0: all. Of the options, the step and the
// source of float operations count; with a step, only that one is there.
std::vector<DataTable> NodeTables(Views& views, NodeId node,
                                  const ViewOptions& options, size_t max_rows);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_NODE_H_
