// FlopsColumn: the float operations that a query shows, from the source chosen
// with `-flops`, and counts of their origins.

#ifndef TFPROF_FLOPS_FLOPS_COLUMN_H_
#define TFPROF_FLOPS_FLOPS_COLUMN_H_

#include <cstdint>
#include <vector>

#include "flops/graph_flops.h"
#include "profile/profile.h"

namespace tfprof::flops {

enum class FlopsSource {
  kOpLog,  // from op logs and saved profiles, as in the reference
  kAuto,   // from op logs, else computed from the graph
  kGraph,  // computed from the graph only
  kOff,    // none
};

struct FlopsColumn {
  // The number of nodes by the origin of their float operations, or by the
  // reason why these are unknown.
  struct Counts {
    int64_t op_log = 0;
    int64_t graph = 0;
    int64_t run_time = 0;
    int64_t part_of_call = 0;
    int64_t no_shapes = 0;
    int64_t not_supported = 0;
    int64_t saturated = 0;  // nodes counted above that have kMaxFlops
    // One run of every node exceeds kMaxFlops, so totals in views wrap around.
    bool sum_is_too_large = false;
  };

  std::vector<int64_t> flops;  // by node id
  Counts counts;
};

// `graph` may be nullptr unless the source is kAuto or kGraph.
FlopsColumn MakeFlopsColumn(const profile::Profile& profile, FlopsSource source,
                            const GraphFlops* graph);

}  // namespace tfprof::flops

#endif  // TFPROF_FLOPS_FLOPS_COLUMN_H_
