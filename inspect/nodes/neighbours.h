// Neighbours: the inputs and the consumers of a node.

#ifndef TFPROF_INSPECT_NODES_NEIGHBOURS_H_
#define TFPROF_INSPECT_NODES_NEIGHBOURS_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// The text that people see if the other end of an edge is not in the graph.
inline constexpr std::string_view kNotInGraph = "(not in the graph)";

struct Edge {
  uint32_t edge = 0;
  profile::NodeId node = profile::kNone;  // at the other end; kNone: dangling
  std::string_view name;                  // of that node
  int32_t position = 0;                   // among the inputs of the reader
  int32_t output = 0;                     // of the source
  bool control = false;                   // orders only, carries no tensor
};

// Sorted by position. A format that does not mark control inputs (ProfileProto)
// has none.
std::vector<Edge> InputsOf(const profile::Profile& profile,
                           profile::NodeId node);
// Sorted by consumer, then by position. Takes one pass over all edges, 5 ms for
// ten million.
std::vector<Edge> ConsumersOf(const profile::Profile& profile,
                              profile::NodeId node);

// The last step in which the node ran, if `step` is negative; else that step if
// it ran there. nullptr: it did not run.
const profile::Step* StepOf(const profile::Profile& profile, int64_t step,
                            profile::NodeId node);

// The bytes of each output of a node, as recorded in `step` (nullptr: empty);
// the last record of an output counts.
std::map<int32_t, int64_t> OutputBytes(const profile::Profile& profile,
                                       const profile::Step* step,
                                       profile::NodeId node);

// The table of `peek`: one row for each input, one for the node, one for each
// consumer, with the node's time and the tensor of the edge. Shares are
// relative to the time of all nodes. Bytes are recorded in StepOf(step). The
// table has at most `max_rows` inputs and as many consumers; 0: all.
tables::DataTable PeekTable(views::Views& views, profile::NodeId node,
                            int64_t step, size_t max_rows);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_NODES_NEIGHBOURS_H_
