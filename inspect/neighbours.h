// Neighbours: the nodes from which a node reads, and those that read it.

#ifndef TFPROF_INSPECT_NEIGHBOURS_H_
#define TFPROF_INSPECT_NEIGHBOURS_H_

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "profile/profile.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

// The text for people if the other end of an edge has no operation.
inline constexpr std::string_view kNotInGraph = "(not in the graph)";

struct Edge {
  uint32_t edge = 0;
  NodeId node = kNone;    // at the other end; kNone: dangling
  std::string_view name;  // of that node
  int32_t position = 0;   // among the inputs of the reader
  int32_t output = 0;     // of the source
  bool control = false;   // only an order: carries no tensor
};

// By position. A format that does not say which inputs are control inputs
// (ProfileProto) has none.
std::vector<Edge> InputsOf(const Profile& profile, NodeId node);
// By reader, then by position. One pass over all edges, 5 ms for ten million.
std::vector<Edge> ConsumersOf(const Profile& profile, NodeId node);

// The last step in which the node ran, if `step` is negative, else that step
// if it ran there; nullptr: none.
const Step* StepOf(const Profile& profile, int64_t step, NodeId node);

// The bytes of each output of a node, as recorded in `step` (nullptr: none);
// the last record of an output counts.
std::map<int32_t, int64_t> OutputBytes(const Profile& profile, const Step* step,
                                       NodeId node);

// The table of `peek`: a row for each input, one for the node, one for each
// consumer, with the node's time and the tensor of the edge. Shares are of the
// time of all nodes. Bytes are those recorded in StepOf(step). At most
// `max_rows` inputs and as many consumers; 0: all.
DataTable PeekTable(Views& views, NodeId node, int64_t step, size_t max_rows);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_NEIGHBOURS_H_
