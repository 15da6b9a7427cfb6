// Reads which operation of a pipeline-parallel training job a slice is
// (profile/tables/pipeline.h).
//
// A process is a data-parallel rank, a thread is a stage of the pipeline with a
// kind of work, and the arguments of a slice have its numbers:
//
//   process "DP rank [3]", thread "PP rank 1, TP rank 0, dp-comm"
//   "args": {"step": 17, "seq_id": 0, "mb_id": -1, "model_chunk": null}
//
// A slice without a step and a sequence number is no such operation.

#ifndef TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_PIPELINE_H_
#define TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_PIPELINE_H_

#include <cstdint>
#include <optional>
#include <string_view>

#include "profile/tables/lanes.h"

namespace tfprof::chrome_json {

// The numbers of a slice. -1: not given.
struct PipelineNumbers {
  int64_t step = -1;
  int32_t sequence = -1;
  int32_t micro_batch = -1;
  int32_t model_chunk = -1;
};

struct PipelineWorker {
  int32_t dp = 0;
  int32_t stage = 0;
  profile::LaneKind kind = profile::LaneKind::kCompute;
};

// `args` is the object with its braces. Returns nullopt if it has no step or no
// sequence number.
std::optional<PipelineNumbers> ReadPipelineNumbers(std::string_view args);

// `process_key` is the pid, which is the rank if the process has no name.
// Returns nullopt if the names do not tell the rank and the stage.
std::optional<PipelineWorker> WorkerOfThread(std::string_view process,
                                             std::string_view process_key,
                                             std::string_view thread);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_PIPELINE_H_
