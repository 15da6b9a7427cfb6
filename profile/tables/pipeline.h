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
// A table of size 0 uses no memory. Immutable; shared between profiles.

#ifndef TFPROF_PROFILE_TABLES_PIPELINE_H_
#define TFPROF_PROFILE_TABLES_PIPELINE_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "profile/steps/int_column.h"
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

struct PipelineOps {
  IntColumn step;
  IntColumn dp;
  IntColumn stage;
  IntColumn type;  // StringId
  IntColumn sequence;
  IntColumn micro_batch;
  IntColumn model_chunk;
  IntColumn start;
  IntColumn duration;

  PipelineOps() = default;
  // `ops` are in ascending order.
  explicit PipelineOps(std::span<const PipelineOp> ops)
      : step(ops.size(), [&](size_t i) { return ops[i].step; }),
        dp(ops.size(), [&](size_t i) { return ops[i].dp; }),
        stage(ops.size(), [&](size_t i) { return ops[i].stage; }),
        type(ops.size(), [&](size_t i) { return ops[i].type; }),
        sequence(ops.size(), [&](size_t i) { return ops[i].sequence; }),
        micro_batch(ops.size(), [&](size_t i) { return ops[i].micro_batch; }),
        model_chunk(ops.size(), [&](size_t i) { return ops[i].model_chunk; }),
        start(ops.size(), [&](size_t i) { return ops[i].start; }),
        duration(ops.size(), [&](size_t i) { return ops[i].duration; }) {}

  size_t size() const { return step.size(); }
  PipelineOp operator[](size_t i) const {
    return {.step = step[i],
            .dp = static_cast<int32_t>(dp[i]),
            .stage = static_cast<int32_t>(stage[i]),
            .type = static_cast<StringId>(type[i]),
            .sequence = static_cast<int32_t>(sequence[i]),
            .micro_batch = static_cast<int32_t>(micro_batch[i]),
            .model_chunk = static_cast<int32_t>(model_chunk[i]),
            .start = start[i],
            .duration = duration[i]};
  }
  size_t bytes() const {
    return step.bytes() + dp.bytes() + stage.bytes() + type.bytes() +
           sequence.bytes() + micro_batch.bytes() + model_chunk.bytes() +
           start.bytes() + duration.bytes();
  }
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_PIPELINE_H_
