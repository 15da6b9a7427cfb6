// Which part of a pipeline-parallel job holds up the others.
//
// The computing of a forward or backward pass takes long because its worker is
// slow, because its stage has more to do, or because its micro-batch is large.
// The lengths tell these apart. Of a micro-batch, all stages take longer, so
// its size is the median of its stages. Of a stage, all ranks take longer, so
// its size is the median of its ranks. What is left is the worker. Medians are
// those of the lower half, so that one of two counts as slow, and are taken for
// each step, since a straggler may be slow in some steps only. Each of these
// sizes alone is then simulated with all other lengths ideal, and so are the
// transfers between stages and the collectives. The part that alone loses most
// time is the one to blame; the worker, link or collective in it is the one
// with the most extra time.
//
// If more time is lost because work begins later than it could, lengths do not
// matter, and the rank whose work begins latest is to blame. Begins are
// compared within a rank only: the clocks of ranks may differ.
//
// Times are microseconds. Ranks and stages are indices of the pipeline.

#ifndef TFPROF_TIMELINE_RANKS_PIPELINE_STRAGGLER_H_
#define TFPROF_TIMELINE_RANKS_PIPELINE_STRAGGLER_H_

#include <cstddef>
#include <cstdint>
#include <optional>

#include "profile/tables/string_pool.h"
#include "timeline/ranks/pipeline.h"
#include "timeline/ranks/pipeline_what_if.h"
#include "util/run/task_options.h"

namespace tfprof::timeline {

struct PipelineStraggler {
  enum class Kind : uint8_t {
    kWorker,      // a rank and a stage, or all stages of a rank
    kStage,       // all ranks of a stage
    kSequences,   // micro-batches have different sizes
    kMicroBatch,  // one number in every step, of a rank or of all
    kLink,  // of a rank, between a stage and the next one, or of all ranks
    kCollective,  // of a type and a stage
    kLateStart,   // the first forward pass of a rank, or any of a worker
    kLateAny,     // work begins late, a little on each of many workers
    kClocks,      // no worker begins late: the clocks of ranks differ
  };
  Kind kind = Kind::kClocks;
  // Nothing: all of them.
  std::optional<size_t> dp, stage;
  int32_t micro_batch = -1;
  profile::StringId type = profile::kNone;  // of a collective
  // How long its operations take in a step, per rank or link, and how long
  // comparable ones take. Of kLateStart: how late it begins, and 0.
  double time = 0, usual = 0;
  // The share of the lost time that it alone explains, 0 to 1.
  double explains = 0;
};

PipelineStraggler FindPipelineStraggler(const Pipeline& pipeline,
                                        const PipelineWhatIf& what_if,
                                        const util::TaskOptions& work);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_PIPELINE_STRAGGLER_H_
