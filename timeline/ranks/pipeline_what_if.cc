#include "timeline/ranks/pipeline_what_if.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>

namespace tfprof::timeline {
namespace {

constexpr size_t kWorstPercent = 3;
// A smaller loss is noise of the arithmetic.
constexpr double kLeastLoss = 1e-6;

std::string_view TypeName(const Pipeline& pipeline, const PipelineTask& task) {
  switch (task.kind) {
    case PipelineKind::kForwardSend:
    case PipelineKind::kForwardReceive:
      return "forward-pp-comm";
    case PipelineKind::kBackwardSend:
    case PipelineKind::kBackwardReceive:
      return "backward-pp-comm";
    default:
      return pipeline.profile().strings().Get(task.type);
  }
}

// Asks the model.
class Questions {
 public:
  Questions(const Pipeline& pipeline, const util::TaskOptions& work)
      : pipeline_(pipeline), work_(work) {}

  PipelineWhatIf Compute() {
    for (size_t t = 0; t < pipeline_.tasks().size(); ++t) {
      types_.insert(TypeName(pipeline_, pipeline_.tasks()[t]));
    }
    AskForLoss();
    if (work_.cancelled() || result_.ideal <= 0) return result_;
    AskForParts();
    AskForShares();
    return std::move(result_);
  }

 private:
  double Own(size_t step, size_t task, size_t dp) const {
    return pipeline_.Own(step, task, dp);
  }
  uint32_t StageOf(size_t task) const { return pipeline_.tasks()[task].stage; }

  // Only operations for which keeps(task, dp) have their own lengths.
  template <typename Keeps>
  PipelineVariant Keep(Keeps keeps) const {
    return {.length = [this, keeps](size_t step, size_t task, size_t dp) {
      return keeps(task, dp) ? Own(step, task, dp) : pipeline_.Ideal(task);
    }};
  }

  void AskForLoss() {
    const size_t num_steps = pipeline_.steps().size();
    std::vector<double> lengths(pipeline_.tasks().size());
    for (size_t t = 0; t < lengths.size(); ++t) lengths[t] = pipeline_.Ideal(t);
    // One is enough, because all ranks are equal here.
    result_.ideal = pipeline_.StepTime(lengths, 1);
    lengths.resize(pipeline_.tasks().size() * pipeline_.dps().size());
    for (size_t s = 0; s < num_steps && !work_.cancelled(); ++s) {
      for (size_t t = 0; t < pipeline_.tasks().size(); ++t) {
        for (size_t d = 0; d < pipeline_.dps().size(); ++d) {
          lengths[t * pipeline_.dps().size() + d] = Own(s, t, d);
        }
      }
      const double time = pipeline_.StepTime(lengths, pipeline_.dps().size());
      result_.own += time;
      result_.recorded += pipeline_.Recorded(s);
      result_.steps.push_back(Ratio(time));
    }
    result_.own /= static_cast<double>(num_steps);
    result_.recorded /= static_cast<double>(num_steps);
    result_.slowdown = Ratio(result_.own);
    result_.late = result_.own > 0 ? result_.recorded / result_.own : 1;
  }

  double Ratio(double time) const {
    return result_.ideal > 0 ? time / result_.ideal : 1;
  }

  void AskForParts() {
    std::vector<PipelineVariant> variants;
    for (const std::string_view name : types_) {
      variants.push_back(Keep([this, name](size_t task, size_t) {
        return TypeName(pipeline_, pipeline_.tasks()[task]) == name;
      }));
    }
    for (uint32_t stage = 0; stage < pipeline_.stages().size(); ++stage) {
      variants.push_back(Keep([this, stage](size_t task, size_t) {
        return StageOf(task) == stage;
      }));
    }
    // The other ranks are all alike, so one stands for them.
    const size_t num_dps = pipeline_.dps().size();
    for (size_t dp = 0; dp < num_dps; ++dp) {
      variants.push_back({.length =
                              [this, dp](size_t step, size_t task, size_t c) {
                                return c == 0 ? Own(step, task, dp)
                                              : pipeline_.Ideal(task);
                              },
                          .columns = std::min<size_t>(2, num_dps)});
    }
    const std::vector<double> times = MeanStepTimes(pipeline_, variants, work_);
    size_t next = 0;
    for (const std::string_view name : types_) {
      result_.types.push_back({std::string(name), Ratio(times[next++])});
    }
    for (size_t i = 0; i < pipeline_.stages().size(); ++i) {
      result_.stages.push_back(Ratio(times[next++]));
    }
    for (size_t i = 0; i < num_dps; ++i) {
      result_.dps.push_back(Ratio(times[next++]));
    }
  }

  void AskForShares() {
    const size_t num_stages = pipeline_.stages().size();
    std::vector<PipelineWhatIf::Worker>& workers = result_.workers;
    for (size_t dp = 0; dp < pipeline_.dps().size(); ++dp) {
      for (size_t stage = 0; stage < num_stages; ++stage) {
        workers.push_back(
            {.dp = dp,
             .stage = stage,
             .slowdown = std::min(result_.dps[dp], result_.stages[stage])});
      }
    }
    // Equal workers are in the order of their stages.
    std::vector<PipelineWhatIf::Worker*> order;
    for (PipelineWhatIf::Worker& worker : workers) order.push_back(&worker);
    std::ranges::sort(order, {}, [](const PipelineWhatIf::Worker* worker) {
      return std::tuple(-worker->slowdown, worker->stage, worker->dp);
    });
    const size_t num_worst = (workers.size() * kWorstPercent + 99) / 100;
    for (size_t i = 0; i < num_worst; ++i) order[i]->worst = true;
    const double lost = result_.own - result_.ideal;
    if (lost <= kLeastLoss * result_.ideal) return;
    const PipelineVariant variants[] = {
        Keep([&](size_t task, size_t dp) {
          return !workers[dp * num_stages + StageOf(task)].worst;
        }),
        Keep([&](size_t task, size_t) {
          return StageOf(task) + 1 != num_stages;
        })};
    const std::vector<double> times = MeanStepTimes(pipeline_, variants, work_);
    result_.worst_workers = (result_.own - times[0]) / lost;
    result_.last_stage = (result_.own - times[1]) / lost;
  }

  const Pipeline& pipeline_;
  const util::TaskOptions& work_;
  std::set<std::string_view> types_;
  PipelineWhatIf result_;
};

}  // namespace

PipelineWhatIf ComputePipelineWhatIf(const Pipeline& pipeline,
                                     const util::TaskOptions& work) {
  return Questions(pipeline, work).Compute();
}

KeptPipeline::KeptPipeline(const profile::Profile& profile) {
  absl::StatusOr<Pipeline> made = Pipeline::Make(profile);
  if (made.ok()) {
    pipeline_ = *std::move(made);
  } else {
    status_ = made.status();
  }
}

const PipelineWhatIf& KeptPipeline::WhatIf(const util::TaskOptions& work) {
  if (!what_if_) what_if_ = ComputePipelineWhatIf(*pipeline_, work);
  return *what_if_;
}

}  // namespace tfprof::timeline
