// Pipeline: a model of a pipeline-parallel training job, which says how long a
// step takes if its operations have other lengths.
//
// It is made from the operations of workers (profile/tables/pipeline.h). A
// worker is a data-parallel rank (dp) and a stage. All workers of a stage run
// the same operations in the same order; the model takes them from the first
// rank in the first complete step:
//
// - An operation begins when all that it needs have ended: the compute before
//   it, the receive of its micro-batch, the gradients that are reduced.
// - A transfer or collective begins when all of its participants are there:
//   both sides of a send, the stage of all ranks, the first and last stage, or
//   all workers.
// - An operation ends its length after its begin. A step ends with its last
//   optimizer.
//
// The *own* length of an operation is the recorded one. Its *ideal* length is
// the same for all operations of a type in all steps and workers: the mean if
// it computes, the median if it communicates. A transfer is recorded from the
// moment at which both sides are there, so lengths do not include waiting, and
// the clocks of ranks do not matter.
//
// Steps, ranks and stages are numbered from 0 here; labels() of them are the
// numbers in the profile. Times are microseconds. It refers to the profile,
// which must outlive it. Immutable, so any number of threads may use it.

#ifndef TFPROF_TIMELINE_RANKS_PIPELINE_H_
#define TFPROF_TIMELINE_RANKS_PIPELINE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "profile/profile.h"
#include "util/run/task_options.h"

namespace tfprof::timeline {

enum class PipelineKind : uint8_t {
  kForward,
  kBackward,
  kForwardSend,
  kForwardReceive,
  kBackwardSend,
  kBackwardReceive,
  kGather,          // of parameters, before the first forward
  kReduce,          // of gradients
  kSeparateReduce,  // of gradients, beside the backward pass
  kNormReduce,
  kEmbeddingReduce,  // between the first and the last stage
  kClip,             // of gradients, among all workers
  kOptimizer,
  kGarbage,  // collection
  kOther,
};

// Computes on one worker, with others or without.
bool Computes(PipelineKind kind);
// Sends to or receives from a neighbouring stage.
bool Transfers(PipelineKind kind);

// An operation of each rank in each step.
struct PipelineTask {
  PipelineKind kind = PipelineKind::kOther;
  uint32_t stage = 0;
  int32_t sequence = 0;  // among those of its type and stage
  profile::StringId type = profile::kNone;
  int32_t micro_batch = -1;  // of the first rank in the first step
};

class Pipeline {
 public:
  // FailedPrecondition: no execution says its rank, stage and step, or those
  // that do make no model. The message says which facts are missing.
  static absl::StatusOr<Pipeline> Make(const profile::Profile& profile);

  const profile::Profile& profile() const { return *profile_; }
  // In ascending stage.
  const std::vector<PipelineTask>& tasks() const { return tasks_; }
  // The numbers in the profile.
  const std::vector<int64_t>& steps() const { return steps_; }
  const std::vector<int32_t>& dps() const { return dps_; }
  const std::vector<int32_t>& stages() const { return stages_; }
  // Steps that do not have the operations of the others.
  const std::vector<int64_t>& left_out() const { return left_out_; }

  double Own(size_t step, size_t task, size_t dp) const {
    return own_[(step * tasks_.size() + task) * dps_.size() + dp];
  }
  // The recorded begin.
  double Start(size_t step, size_t task, size_t dp) const {
    return start_[(step * tasks_.size() + task) * dps_.size() + dp];
  }
  double Ideal(size_t task) const { return ideal_[task]; }
  // From the first begin to the last end.
  double Recorded(size_t step) const { return recorded_[step]; }
  // The recorded begin of an operation minus the recorded end of the last one
  // that it needs, of those of its own rank. Nothing if it needs none.
  std::optional<double> Late(size_t step, size_t task, size_t dp) const;

  // Returns the length of a step in which task t of column c takes
  // lengths[t * columns + c]. A column is a rank; collectives are among the
  // given ones.
  double StepTime(std::span<const double> lengths, size_t columns) const;

 private:
  class Maker;

  // One part of a simulation: a task begins, or a group of them ends.
  struct Event {
    bool begins = false;
    uint32_t task = 0;             // of a begin
    uint32_t first = 0, last = 0;  // of an end: a range of `members_`
    bool all_ranks = false;
  };

  const profile::Profile* profile_ = nullptr;
  std::vector<PipelineTask> tasks_;
  std::vector<int64_t> steps_, left_out_;
  std::vector<int32_t> dps_, stages_;
  std::vector<std::vector<uint32_t>> needs_;  // by task
  std::vector<Event> events_;
  std::vector<uint32_t> members_;
  std::vector<double> own_, start_;  // by step, task and rank
  std::vector<double> ideal_, recorded_;
};

// A question to the model: the lengths of all operations. By default each rank
// is a column.
struct PipelineVariant {
  std::function<double(size_t step, size_t task, size_t column)> length;
  size_t columns = 0;  // 0: all ranks
};

// Returns for each variant the mean over the steps of the length of a step, in
// linear time for each.
std::vector<double> MeanStepTimes(const Pipeline& pipeline,
                                  std::span<const PipelineVariant> variants,
                                  const util::TaskOptions& work);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_PIPELINE_H_
