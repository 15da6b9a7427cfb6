// PipelineOps: what the workers of a pipeline-parallel training job did.
//
// Such a job has workers in a grid: one for each data-parallel rank (dp) and
// stage of the pipeline. Each step, a worker takes some micro-batches through
// its stage, forward and backward, exchanges them with its neighbours, and
// reduces gradients with the same stage of the other ranks. A row is one such
// operation. It is one of the executions of its step too; this table has what
// the numbers in the file say about it.
//
// Rows are in ascending order. Times are nanoseconds from the profile's origin.
// A profile without pipelines has an empty table. Immutable; shared between
// profiles.

#ifndef TFPROF_PROFILE_TABLES_PIPELINE_H_
#define TFPROF_PROFILE_TABLES_PIPELINE_H_

#include <compare>
#include <cstdint>
#include <vector>

#include "profile/tables/string_pool.h"

namespace tfprof::profile {

struct PipelineOp {
  int64_t step = 0;       // Step::id
  int32_t dp = 0;         // rank, 0 or more
  int32_t stage = 0;      // 0 or more
  StringId type = kNone;  // "forward-compute"
  // The number of the operation among those of its type, worker and step, in
  // the order of time. 0 or more.
  int32_t sequence = 0;
  int32_t micro_batch = -1;  // -1: of none, or not recorded
  int32_t model_chunk = -1;  // the same
  int64_t start = 0;
  int64_t duration = 0;

  friend auto operator<=>(const PipelineOp&, const PipelineOp&) = default;
};

using PipelineOps = std::vector<PipelineOp>;

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_PIPELINE_H_
