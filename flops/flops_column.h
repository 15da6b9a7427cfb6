// FlopsColumn: the float operations that a query shows, by the source that
// `-flops` chose, and what there is to say about them.

#ifndef TFPROF_FLOPS_FLOPS_COLUMN_H_
#define TFPROF_FLOPS_FLOPS_COLUMN_H_

#include <cstdint>
#include <vector>

#include "flops/graph_flops.h"
#include "profile/profile.h"

namespace tfprof {

enum class FlopsSource {
  kOpLog,  // what op logs and saved profiles bring: the reference's
  kAuto,   // that, and the graph's for nodes without
  kGraph,  // the graph's alone
  kOff,    // none
};

struct FlopsColumn {
  // How many nodes have their figure from where, or none.
  struct Counts {
    int64_t op_log = 0;
    int64_t graph = 0;
    int64_t run_time = 0;
    int64_t part_of_call = 0;
    int64_t no_shapes = 0;
    int64_t not_supported = 0;
    int64_t saturated = 0;  // among the others: figures of kMaxFlops
    // One run of every node is more than kMaxFlops: views' totals wrap.
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
