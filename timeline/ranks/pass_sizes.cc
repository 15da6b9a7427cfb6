#include "timeline/ranks/pass_sizes.h"

#include <algorithm>
#include <utility>

namespace tfprof::timeline {
namespace {

// The value at a share of the sorted values, rounded down. 1 if there are none.
double Quantile(std::vector<double> values, double share) {
  if (values.empty()) return 1;
  const auto at =
      values.begin() +
      static_cast<ptrdiff_t>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

}  // namespace

double LowerMedian(std::vector<double> values) {
  return Quantile(std::move(values), 0.5);
}

double SizeRatio(double a, double b) { return b > 0 ? a / b : 1; }

PassSizes::PassSizes(const Pipeline& pipeline)
    : pipeline_(pipeline),
      num_steps_(pipeline.steps().size()),
      num_stages_(pipeline.stages().size()),
      num_dps_(pipeline.dps().size()) {
  FindPasses();
  FindStages();
  FindMicroBatches();
  FindRanks();
  FindWorkers();
}

double PassSizes::BothWays(size_t step, size_t batch, size_t dp) const {
  double sum = 0, all = 0;
  for (size_t way = 0; way < kNumWays; ++way) {
    const double ideal = pipeline_.Ideal(passes_[way][0][batch]);
    sum += ideal * batches_[BatchAt(step, way, batch, dp)];
    all += ideal;
  }
  return SizeRatio(sum, all);
}

template <typename Size>
double PassSizes::OfBatches(Size size) const {
  std::vector<double> sizes;
  for (size_t b = 0; b < num_batches_; ++b) sizes.push_back(size(b));
  return LowerMedian(std::move(sizes));
}

void PassSizes::DivideByUsual(std::vector<double>& values) {
  const double usual = LowerMedian(values);
  for (double& value : values) value = SizeRatio(value, usual);
}

void PassSizes::FindPasses() {
  place_.resize(pipeline_.tasks().size());
  for (auto& of_way : passes_) of_way.resize(num_stages_);
  for (size_t t = 0; t < place_.size(); ++t) {
    const PipelineTask& task = pipeline_.tasks()[t];
    if (task.kind == PipelineKind::kForward) {
      passes_[kForwardWay][task.stage].push_back(t);
    } else if (task.kind == PipelineKind::kBackward) {
      passes_[kBackwardWay][task.stage].push_back(t);
    }
  }
  num_batches_ = place_.size();
  for (auto& of_way : passes_) {
    for (std::vector<size_t>& passes : of_way) {
      std::ranges::sort(
          passes, {}, [&](size_t t) { return pipeline_.tasks()[t].sequence; });
      num_batches_ = std::min(num_batches_, passes.size());
    }
  }
  for (size_t way = 0; way < kNumWays; ++way) {
    for (const std::vector<size_t>& passes : passes_[way]) {
      for (size_t b = 0; b < num_batches_; ++b) {
        place_[passes[b]] = {.way = way, .batch = b};
      }
    }
  }
}

void PassSizes::FindStages() {
  for (size_t step = 0; step < num_steps_; ++step) {
    for (size_t way = 0; way < kNumWays; ++way) {
      std::vector<double> of_stage;
      for (size_t stage = 0; stage < num_stages_; ++stage) {
        std::vector<double> of_dp;
        for (size_t dp = 0; dp < num_dps_; ++dp) {
          of_dp.push_back(OfBatches([&](size_t b) {
            return Relative(step, passes_[way][stage][b], dp);
          }));
        }
        of_stage.push_back(LowerMedian(std::move(of_dp)));
      }
      DivideByUsual(of_stage);
      stages_.insert(stages_.end(), of_stage.begin(), of_stage.end());
    }
  }
}

void PassSizes::FindMicroBatches() {
  batches_.resize(num_steps_ * kNumWays * num_batches_ * num_dps_);
  for (size_t step = 0; step < num_steps_; ++step) {
    for (size_t way = 0; way < kNumWays; ++way) {
      for (size_t b = 0; b < num_batches_; ++b) {
        for (size_t dp = 0; dp < num_dps_; ++dp) {
          std::vector<double> of_stage;
          for (size_t stage = 0; stage < num_stages_; ++stage) {
            of_stage.push_back(
                SizeRatio(Relative(step, passes_[way][stage][b], dp),
                          stages_[StageAt(step, way, stage)]));
          }
          batches_[BatchAt(step, way, b, dp)] =
              LowerMedian(std::move(of_stage));
        }
      }
    }
  }
}

// If all micro-batches of a rank are larger than those of others in most steps,
// it is the rank. In a few steps, it is chance.
void PassSizes::FindRanks() {
  constexpr double kFewSteps = 0.25;
  for (size_t way = 0; way < kNumWays; ++way) {
    std::vector<std::vector<double>> of_dp(num_dps_);
    for (size_t step = 0; step < num_steps_; ++step) {
      std::vector<double> sizes;
      for (size_t dp = 0; dp < num_dps_; ++dp) {
        sizes.push_back(OfBatches(
            [&](size_t b) { return batches_[BatchAt(step, way, b, dp)]; }));
      }
      DivideByUsual(sizes);
      for (size_t dp = 0; dp < num_dps_; ++dp) of_dp[dp].push_back(sizes[dp]);
    }
    std::vector<double> sizes;
    for (std::vector<double>& of : of_dp) {
      sizes.push_back(Quantile(std::move(of), kFewSteps));
    }
    DivideByUsual(sizes);
    ranks_.insert(ranks_.end(), sizes.begin(), sizes.end());
  }
  for (size_t i = 0; i < batches_.size(); ++i) {
    const size_t way = i / (num_batches_ * num_dps_) % kNumWays;
    batches_[i] = SizeRatio(batches_[i], ranks_[way * num_dps_ + i % num_dps_]);
  }
}

void PassSizes::FindWorkers() {
  workers_.resize(stages_.size() * num_dps_);
  for (size_t step = 0; step < num_steps_; ++step) {
    for (size_t way = 0; way < kNumWays; ++way) {
      for (size_t stage = 0; stage < num_stages_; ++stage) {
        for (size_t dp = 0; dp < num_dps_; ++dp) {
          workers_[WorkerAt(step, way, stage, dp)] = OfBatches([&](size_t b) {
            const size_t task = passes_[way][stage][b];
            return SizeRatio(
                Relative(step, task, dp),
                Stage(step, task) * Rank(task, dp) * Batch(step, task, dp));
          });
        }
      }
    }
  }
}

}  // namespace tfprof::timeline
