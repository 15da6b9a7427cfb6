// GraphFlops: the float operations of every node of a profile, computed from
// its graph instead of read from an op log.
//
// Shapes come from `_output_shapes`, else from the value of a constant or the
// `shape` of a placeholder or variable, else from the first execution that
// recorded the shapes of its outputs. A node that calls functions of the
// graph's library has the float operations of their bodies (function_flops.h).
//
// Computed in one pass over the nodes; attributes are decoded for ops whose
// formula needs them, run-time shapes for nodes that lack others. Pure, and
// safe on any profile. Units: see formulas.h.

#ifndef TFPROF_FLOPS_GRAPH_FLOPS_H_
#define TFPROF_FLOPS_GRAPH_FLOPS_H_

#include <cstdint>
#include <vector>

#include "profile/profile.h"

namespace tfprof {

// Where the figure of a node comes from, or why there is none.
enum class FlopsOrigin : uint8_t {
  kNoFormula,     // nothing is counted for its op
  kGraph,         // shapes of the graph
  kRunTime,       // needs a shape that only a run recorded
  kPartOfCall,    // calls functions in which figures are missing
  kNoShapes,      // a shape is not known
  kNotSupported,  // see Flops::Outcome
};

struct GraphFlops {
  // By node id.
  std::vector<int64_t> flops;
  std::vector<FlopsOrigin> origin;
};

GraphFlops ComputeGraphFlops(const Profile& profile);

}  // namespace tfprof

#endif  // TFPROF_FLOPS_GRAPH_FLOPS_H_
