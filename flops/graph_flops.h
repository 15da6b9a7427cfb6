// GraphFlops: the float operations of every node of a profile, computed from
// its graph instead of read from an op log.
//
// Shapes come from `_output_shapes`, else from the value of a constant or the
// `shape` of a placeholder or variable, else from the first execution that
// recorded output shapes. A node that calls functions of the graph's library
// has the float operations of their bodies (function_flops.h).
//
// The computation is one pass over the nodes. It decodes attributes only for
// ops whose formula needs them, and run-time shapes only for nodes without
// other shapes. It cannot fail on any profile. Units: see formulas.h.

#ifndef TFPROF_FLOPS_GRAPH_FLOPS_H_
#define TFPROF_FLOPS_GRAPH_FLOPS_H_

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace tfprof::flops {

// The origin of a node's float operations, or why they are unknown.
enum class FlopsOrigin : uint8_t {
  kNoFormula,     // nothing is counted for its op
  kGraph,         // uses only shapes of the graph
  kRunTime,       // needs a shape that only a run recorded
  kPartOfCall,    // calls functions with unknown float operations
  kNoShapes,      // a shape is unknown
  kNotSupported,  // see Flops::Outcome
};

struct GraphFlops {
  // Indexed by node id.
  std::vector<int64_t> flops;
  std::vector<FlopsOrigin> origin;
};

GraphFlops ComputeGraphFlops(const profile::Profile& profile);

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_GRAPH_FLOPS_H_
