// PassSizes: how large the forward and backward passes of a pipeline are, and
// why.
//
// The own length of a pass is its ideal length times four sizes: of its stage,
// its rank, its micro-batch and its worker. A size is found from the passes
// that have it in common:
//
//   stage        all ranks and micro-batches of a step, against other stages
//   micro-batch  all stages of a step
//   rank         all micro-batches and most steps, against other ranks
//   worker       all micro-batches of a step; what the others leave
//
// Each is the median of the lower half of these, so that a few slow ones do not
// change the size of all. Forward and backward passes have different sizes.
// Numbers are indices of the pipeline, which must outlive it.

#ifndef TFPROF_TIMELINE_RANKS_PASS_SIZES_H_
#define TFPROF_TIMELINE_RANKS_PASS_SIZES_H_

#include <array>
#include <cstddef>
#include <vector>

#include "timeline/ranks/pipeline.h"

namespace tfprof::timeline {

// The median; of an even number of values, the smaller one in the middle. 1 if
// there are none.
double LowerMedian(std::vector<double> values);

// a / b; 1 if b is not positive.
double SizeRatio(double a, double b);

class PassSizes {
 public:
  explicit PassSizes(const Pipeline& pipeline);

  // False for an operation that is no pass, and for a pass whose number does
  // not exist in all stages. All others have sizes.
  bool IsPass(size_t task) const { return place_[task].way < kNumWays; }
  double Stage(size_t step, size_t task) const {
    return stages_[StageAt(step, place_[task].way,
                           pipeline_.tasks()[task].stage)];
  }
  double Rank(size_t task, size_t dp) const {
    return ranks_[place_[task].way * num_dps_ + dp];
  }
  double Batch(size_t step, size_t task, size_t dp) const {
    return batches_[BatchAt(step, place_[task].way, place_[task].batch, dp)];
  }
  double Worker(size_t step, size_t task, size_t dp) const {
    return workers_[WorkerAt(step, place_[task].way,
                             pipeline_.tasks()[task].stage, dp)];
  }

  // Micro-batches have numbers from 0, in the order of their passes.
  size_t num_batches() const { return num_batches_; }
  size_t BatchOf(size_t task) const { return place_[task].batch; }
  // The forward pass of a micro-batch in the first stage.
  size_t FirstTask(size_t batch) const {
    return passes_[kForwardWay][0][batch];
  }
  // The size of a micro-batch, forward and backward together.
  double BothWays(size_t step, size_t batch, size_t dp) const;

 private:
  static constexpr size_t kForwardWay = 0, kBackwardWay = 1, kNumWays = 2;

  struct Place {
    size_t way = kNumWays;  // kNumWays: it has no sizes
    size_t batch = 0;
  };

  size_t StageAt(size_t step, size_t way, size_t stage) const {
    return (step * kNumWays + way) * num_stages_ + stage;
  }
  size_t WorkerAt(size_t step, size_t way, size_t stage, size_t dp) const {
    return StageAt(step, way, stage) * num_dps_ + dp;
  }
  size_t BatchAt(size_t step, size_t way, size_t batch, size_t dp) const {
    return ((step * kNumWays + way) * num_batches_ + batch) * num_dps_ + dp;
  }
  // The own length divided by the ideal one.
  double Relative(size_t step, size_t task, size_t dp) const {
    return SizeRatio(pipeline_.Own(step, task, dp), pipeline_.Ideal(task));
  }
  // The lower median over the micro-batches of size(batch).
  template <typename Size>
  double OfBatches(Size size) const;
  // Divides values by their lower median.
  static void DivideByUsual(std::vector<double>& values);

  void FindPasses();
  void FindStages();
  void FindMicroBatches();
  void FindRanks();
  void FindWorkers();

  const Pipeline& pipeline_;
  const size_t num_steps_, num_stages_, num_dps_;
  size_t num_batches_ = 0;
  std::vector<Place> place_;  // by task
  // By way and stage, in ascending number.
  std::array<std::vector<std::vector<size_t>>, kNumWays> passes_;
  std::vector<double> stages_, batches_, ranks_, workers_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_PASS_SIZES_H_
