// Writes the nodes of a profile as a GraphDef.
//
// A node that came from a GraphDef is copied unchanged. Any other is built from
// the data of the profile: name, op, inputs, attributes, and the attributes
// `shape` and `_output_shapes`, which are derived from its shapes if they are
// missing. Loading the file gives the same nodes with the same ids.
//
// It is written node by node: memory does not grow with the graph. Errors:
// ResourceExhausted for a node beyond the 2 GiB of a protobuf message; errors
// of writing come from the sink.

#ifndef TFPROF_EXPORTERS_FORMATS_GRAPH_DEF_H_
#define TFPROF_EXPORTERS_FORMATS_GRAPH_DEF_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "profile/profile.h"
#include "util/files/sink.h"

namespace tfprof::exporters {

// Data that the file cannot hold, as numbers of nodes.
struct GraphDefLosses {
  // Nodes built from the profile, which has no placements and does not mark
  // control inputs.
  int64_t rebuilt = 0;
  // Nodes whose input numbers have gaps.
  int64_t input_places = 0;
  // Nodes whose output numbers have gaps.
  int64_t output_places = 0;
};

absl::StatusOr<GraphDefLosses> WriteGraphDef(const profile::Profile& profile,
                                             util::Sink& sink);

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_FORMATS_GRAPH_DEF_H_
