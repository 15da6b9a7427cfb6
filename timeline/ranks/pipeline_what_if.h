// How much faster a pipeline-parallel job would be without its stragglers, and
// which of its parts cost the time. See pipeline.h for the model.
//
// T(x) is the mean over the steps of the length of a step whose operations have
// the lengths x. T_own has all own lengths, T_ideal all ideal ones. The
// *slowdown* of a part (a type, a rank, a stage) is T / T_ideal if only the
// operations of that part keep their own lengths; that of a worker is the
// smaller one of its rank and its stage. Times are microseconds.

#ifndef TFPROF_TIMELINE_RANKS_PIPELINE_WHAT_IF_H_
#define TFPROF_TIMELINE_RANKS_PIPELINE_WHAT_IF_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "timeline/ranks/pipeline.h"
#include "util/run/task_options.h"

namespace tfprof::timeline {

struct PipelineWhatIf {
  double recorded = 0;  // mean length of a step
  double own = 0;       // T_own
  double ideal = 0;     // T_ideal
  // How many times longer the job takes because equal operations take unequally
  // long.
  double slowdown = 1;
  // The same because work begins later than it could: recorded / own.
  double late = 1;
  // The share of own - ideal that goes away if the 3 % of the workers with the
  // largest slowdowns have ideal lengths, or the workers of the last stage.
  // Nothing if nothing is lost.
  std::optional<double> worst_workers, last_stage;
  // The four transfers are two types, "forward-pp-comm" and "backward-pp-comm".
  std::vector<std::pair<std::string, double>> types;  // sorted by name
  std::vector<double> dps, stages, steps;             // by index
  struct Worker {
    size_t dp = 0, stage = 0;
    double slowdown = 1;
    bool worst = false;  // one of the 3 %
  };
  std::vector<Worker> workers;  // by rank, then stage
};

PipelineWhatIf ComputePipelineWhatIf(const Pipeline& pipeline,
                                     const util::TaskOptions& work);

// The pipeline of a profile and its figures, computed once (Views::Kept).
class KeptPipeline {
 public:
  explicit KeptPipeline(const profile::Profile& profile);

  // Why there is no model (Pipeline::Make).
  const absl::Status& status() const { return status_; }
  // Call these only if status() is OK.
  const Pipeline& pipeline() const { return *pipeline_; }
  const PipelineWhatIf& WhatIf(const util::TaskOptions& work);

 private:
  absl::Status status_;
  std::optional<Pipeline> pipeline_;
  std::optional<PipelineWhatIf> what_if_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_PIPELINE_WHAT_IF_H_
