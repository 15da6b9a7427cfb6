// Node: all data of a profile about one node, as `show` prints it.

#ifndef TFPROF_INSPECT_NODES_NODE_H_
#define TFPROF_INSPECT_NODES_NODE_H_

#include <cstddef>

#include "profile/profile.h"
#include "tables/data_table.h"
#include "views/options.h"
#include "views/views.h"

namespace tfprof::inspect {

// Facts: op, types, device, sums of the step (or average). Tables, which are
// always present unless stated otherwise:
//
//   outputs     by output: shape, bytes recorded in the last step it ran
//   attributes  decoded
//   inputs      by position, control inputs last as in the graph
//   consumers   the nodes that read it
//   fused       only for a fusion: its instructions, with estimated times
//   steps       a row for each step in which it ran: the accounting
//   executions  a row for each record: device, offset in its step, time
//   memory      a row for each run with memory other than outputs
//   allocations the records of GPU allocators for it
//   source      the call stack that made it, outermost first
//
// Tables have at most `max_rows` rows; 0: all. The document uses the step and
// the source of float operations of `options`; with a step, the tables show
// only that step.
tables::DataDocument NodeDocument(views::Views& views, profile::NodeId node,
                                  const views::ViewOptions& options,
                                  size_t max_rows);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_NODES_NODE_H_
