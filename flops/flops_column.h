// FlopsColumn: the float operations that a query shows, from the source that
// `-flops` chose, and counts of their origins.

#ifndef TFPROF_FLOPS_FLOPS_COLUMN_H_
#define TFPROF_FLOPS_FLOPS_COLUMN_H_

#include <cstdint>
#include <vector>

#include "flops/graph_flops.h"
#include "profile/profile.h"

namespace tfprof {

enum class FlopsSource {
  kOpLog,  // from op logs and saved profiles, as in the reference
  kAuto,   // from op logs; for nodes without, computed from the graph
  kGraph,  // computed from the graph only
  kOff,    // none
};

struct FlopsColumn {
  // The number of nodes by the origin of their figure, or by the reason why
  // they have none.
  struct Counts {
    int64_t op_log = 0;
    int64_t graph = 0;
    int64_t run_time = 0;
    int64_t part_of_call = 0;
    int64_t no_shapes = 0;
    int64_t not_supported = 0;
    int64_t saturated = 0;  // among the others: figures of kMaxFlops
    // One run of every node is more than kMaxFlops: totals of views wrap.
    bool sum_is_too_large = false;
  };

  std::vector<int64_t> flops;  // by node id
  Counts counts;
};

// `graph` may be nullptr unless the source is kAuto or kGraph.
FlopsColumn MakeFlopsColumn(const Profile& profile, FlopsSource source,
                            const GraphFlops* graph);

}  // namespace tfprof

#endif  // TFPROF_FLOPS_FLOPS_COLUMN_H_
