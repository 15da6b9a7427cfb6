// Writes the nodes of a profile as a GraphDef.
//
// A node that came from a GraphDef is copied unchanged. Any other is made from
// what the profile has: name, op, inputs, attributes, and the attributes
// `shape` and `_output_shapes`, which are made from its shapes if they are
// missing. Loading the file gives the same nodes with the same ids.
//
// Written node by node: memory does not grow with the graph. Errors:
// ResourceExhausted for a node beyond the 2 GiB of a protobuf message; errors
// of writing are the sink's.

#ifndef TFPROF_EXPORTERS_FORMATS_GRAPH_DEF_H_
#define TFPROF_EXPORTERS_FORMATS_GRAPH_DEF_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "profile/profile.h"
#include "util/sink.h"

namespace tfprof {

// What the file cannot hold, in numbers of nodes.
struct GraphDefLosses {
  // Made from the profile, which has no placements and does not say which
  // inputs are control inputs.
  int64_t rebuilt = 0;
  // Inputs had numbers with gaps between them.
  int64_t input_places = 0;
  // Outputs had numbers with gaps between them.
  int64_t output_places = 0;
};

absl::StatusOr<GraphDefLosses> WriteGraphDef(const Profile& profile,
                                             Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_EXPORTERS_FORMATS_GRAPH_DEF_H_
