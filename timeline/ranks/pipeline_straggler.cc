#include "timeline/ranks/pipeline_straggler.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "timeline/ranks/pass_sizes.h"

namespace tfprof::timeline {
namespace {

// A part explains the loss if it alone loses at least this share of it.
constexpr double kMostOfIt = 0.5;
constexpr double kEnoughOfIt = 0.3;

class StragglerSearch {
 public:
  using Kind = PipelineStraggler::Kind;

  StragglerSearch(const Pipeline& pipeline, const PipelineWhatIf& what_if,
                  const util::TaskOptions& work)
      : pipeline_(pipeline), what_if_(what_if), work_(work), sizes_(pipeline) {}

  PipelineStraggler Find() {
    const double late = what_if_.recorded - what_if_.own;
    if (late > what_if_.own - what_if_.ideal) return FindLate(late);
    const PipelineVariant variants[] = {
        SizeVariant([&](size_t step, size_t task,
                        size_t dp) { return sizes_.Worker(step, task, dp); },
                    /*keeps_others=*/true),
        SizeVariant([&](size_t, size_t task, size_t dp) {
          return sizes_.Rank(task, dp);
        }),
        SizeVariant([&](size_t step, size_t task, size_t) {
          return sizes_.Stage(step, task);
        }),
        SizeVariant([&](size_t step, size_t task, size_t dp) {
          return sizes_.Batch(step, task, dp);
        }),
        OwnVariant([](PipelineKind kind) { return Transfers(kind); }),
        OwnVariant([](PipelineKind kind) {
          return !Transfers(kind) && !Computes(kind);
        })};
    enum { kWorkers, kRanks, kStages, kBatches, kLinks, kCollectives };
    const std::vector<double> times = MeanStepTimes(pipeline_, variants, work_);
    const auto most = std::ranges::max_element(times) - times.begin();
    const double loss = times[static_cast<size_t>(most)] - what_if_.ideal;
    PipelineStraggler found;
    switch (most) {
      case kWorkers:
        found = FindWorker();
        break;
      case kRanks:
        found = FindRank();
        break;
      case kStages:
        found = FindStage();
        break;
      case kBatches:
        found = FindBatch(loss);
        break;
      case kLinks:
        found = FindLink();
        break;
      default:
        found = FindCollective();
    }
    found.explains =
        std::clamp(SizeRatio(loss, what_if_.own - what_if_.ideal), 0.0, 1.0);
    return found;
  }

 private:
  size_t num_steps() const { return pipeline_.steps().size(); }
  size_t num_stages() const { return pipeline_.stages().size(); }
  size_t num_dps() const { return pipeline_.dps().size(); }
  const PipelineTask& TaskAt(size_t task) const {
    return pipeline_.tasks()[task];
  }

  // ---- Variants

  // Passes have ideal lengths times their sizes, divided by the mean size, so
  // that the mean length stays ideal.
  template <typename Size>
  PipelineVariant SizeVariant(Size size, bool keeps_others = false) const {
    std::map<profile::StringId, std::pair<double, double>> sums;
    for (size_t step = 0; step < num_steps(); ++step) {
      for (size_t t = 0; t < pipeline_.tasks().size(); ++t) {
        if (!sizes_.IsPass(t)) continue;
        auto& [sum, count] = sums[TaskAt(t).type];
        for (size_t dp = 0; dp < num_dps(); ++dp) sum += size(step, t, dp);
        count += static_cast<double>(num_dps());
      }
    }
    std::vector<double> unit(pipeline_.tasks().size());
    for (size_t t = 0; t < unit.size(); ++t) {
      if (!sizes_.IsPass(t)) continue;
      const auto& [sum, count] = sums[TaskAt(t).type];
      unit[t] = pipeline_.Ideal(t) * SizeRatio(count, sum);
    }
    return {.length = [this, size, keeps_others, unit = std::move(unit)](
                          size_t step, size_t task, size_t dp) {
      if (sizes_.IsPass(task)) return unit[task] * size(step, task, dp);
      return keeps_others && Computes(TaskAt(task).kind)
                 ? pipeline_.Own(step, task, dp)
                 : pipeline_.Ideal(task);
    }};
  }

  // Operations of these kinds have their own lengths, others ideal ones.
  template <typename Keeps>
  PipelineVariant OwnVariant(Keeps keeps) const {
    return {.length = [this, keeps](size_t step, size_t task, size_t dp) {
      return keeps(TaskAt(task).kind) ? pipeline_.Own(step, task, dp)
                                      : pipeline_.Ideal(task);
    }};
  }

  // ---- Who is to blame

  // Returns `count` sums of own lengths, per step. index(task, dp) says to
  // which sum an operation belongs; `count`: to none.
  template <typename Index>
  std::vector<double> SumsPerStep(size_t count, Index index) const {
    std::vector<double> sums(count, 0);
    for (size_t t = 0; t < pipeline_.tasks().size(); ++t) {
      for (size_t dp = 0; dp < num_dps(); ++dp) {
        const size_t at = index(t, dp);
        if (at == count) continue;
        for (size_t s = 0; s < num_steps(); ++s) {
          sums[at] +=
              pipeline_.Own(s, t, dp) / static_cast<double>(num_steps());
        }
      }
    }
    return sums;
  }

  // The computing of each worker per step, by rank and stage.
  std::vector<double> ComputeOfWorkers() const {
    const size_t count = num_dps() * num_stages();
    return SumsPerStep(count, [&](size_t t, size_t dp) {
      return Computes(TaskAt(t).kind) ? dp * num_stages() + TaskAt(t).stage
                                      : count;
    });
  }

  // The time that the sizes of workers add to the ideal lengths, by rank and
  // stage.
  std::vector<double> ExtraOfWorkers() const {
    std::vector<double> extra(num_dps() * num_stages(), 0);
    for (size_t t = 0; t < pipeline_.tasks().size(); ++t) {
      if (!Computes(TaskAt(t).kind)) continue;
      for (size_t s = 0; s < num_steps(); ++s) {
        for (size_t dp = 0; dp < num_dps(); ++dp) {
          extra[dp * num_stages() + TaskAt(t).stage] +=
              sizes_.IsPass(t)
                  ? pipeline_.Ideal(t) * (sizes_.Worker(s, t, dp) - 1)
                  : pipeline_.Own(s, t, dp) - pipeline_.Ideal(t);
        }
      }
    }
    return extra;
  }

  // Returns the lower median of all values but one.
  static double UsualOfOthers(std::vector<double> values, size_t one) {
    if (values.size() > 1) {
      values.erase(values.begin() + static_cast<ptrdiff_t>(one));
    }
    return LowerMedian(std::move(values));
  }

  static size_t Largest(const std::vector<double>& values) {
    return static_cast<size_t>(std::ranges::max_element(values) -
                               values.begin());
  }

  PipelineStraggler FindWorker() const {
    const size_t worst = Largest(ExtraOfWorkers());
    const std::vector<double> computes = ComputeOfWorkers();
    PipelineStraggler found;
    found.kind = Kind::kWorker;
    found.dp = worst / num_stages();
    found.stage = worst % num_stages();
    std::vector<double> of_stage;
    for (size_t dp = 0; dp < num_dps(); ++dp) {
      of_stage.push_back(computes[dp * num_stages() + *found.stage]);
    }
    found.time = computes[worst];
    found.usual = UsualOfOthers(of_stage, *found.dp);
    return found;
  }

  PipelineStraggler FindRank() const {
    const std::vector<double> computes = ComputeOfWorkers();
    std::vector<double> of_dp(num_dps(), 0), extra(num_dps(), 0);
    for (size_t dp = 0; dp < num_dps(); ++dp) {
      for (size_t stage = 0; stage < num_stages(); ++stage) {
        of_dp[dp] += computes[dp * num_stages() + stage];
      }
      for (size_t t = 0; t < pipeline_.tasks().size(); ++t) {
        if (!sizes_.IsPass(t)) continue;
        extra[dp] += pipeline_.Ideal(t) * sizes_.Rank(t, dp);
      }
    }
    PipelineStraggler found;
    found.kind = Kind::kWorker;
    found.dp = Largest(extra);
    if (num_stages() == 1) found.stage = 0;
    found.time = of_dp[*found.dp];
    found.usual = UsualOfOthers(of_dp, *found.dp);
    return found;
  }

  PipelineStraggler FindStage() const {
    std::vector<double> extra(num_stages(), 0);
    for (size_t s = 0; s < num_steps(); ++s) {
      for (size_t t = 0; t < pipeline_.tasks().size(); ++t) {
        if (!sizes_.IsPass(t)) continue;
        extra[TaskAt(t).stage] += pipeline_.Ideal(t) * sizes_.Stage(s, t);
      }
    }
    std::vector<double> of_stage =
        SumsPerStep(num_stages(), [&](size_t t, size_t) {
          return sizes_.IsPass(t) ? size_t{TaskAt(t).stage} : num_stages();
        });
    for (double& sum : of_stage) sum /= static_cast<double>(num_dps());
    PipelineStraggler found;
    found.kind = Kind::kStage;
    found.stage = Largest(extra);
    found.time = of_stage[*found.stage];
    found.usual = UsualOfOthers(of_stage, *found.stage);
    return found;
  }

  // If most of the loss goes away without one number of micro-batch, and that
  // one is large in at least half of the steps, it is to blame, in one rank or
  // in all. Otherwise the sizes differ from step to step.
  PipelineStraggler FindBatch(double loss) const {
    const size_t num = sizes_.num_batches();
    if (num == 0) return {.kind = Kind::kSequences};
    std::vector<double> of_one(num * num_dps(), 0), of_all(num, 0);
    for (size_t s = 0; s < num_steps(); ++s) {
      for (size_t b = 0; b < num; ++b) {
        for (size_t dp = 0; dp < num_dps(); ++dp) {
          const double size = sizes_.BothWays(s, b, dp);
          of_one[b * num_dps() + dp] += size / static_cast<double>(num_steps());
          of_all[b] += size;
        }
      }
    }
    const size_t one = Largest(of_one), all = Largest(of_all);
    const auto without = [&](size_t batch, size_t dp) {
      return SizeVariant([this, batch, dp](size_t step, size_t task, size_t d) {
        return sizes_.BatchOf(task) == batch && (d == dp || dp == num_dps())
                   ? 1.0
                   : sizes_.Batch(step, task, d);
      });
    };
    const PipelineVariant variants[] = {
        without(one / num_dps(), one % num_dps()), without(all, num_dps())};
    const std::vector<double> times = MeanStepTimes(pipeline_, variants, work_);
    const double by_one = 1 - SizeRatio(times[0] - what_if_.ideal, loss);
    const double by_all = 1 - SizeRatio(times[1] - what_if_.ideal, loss);
    PipelineStraggler found;
    found.kind = Kind::kSequences;
    found.usual = 1;
    constexpr double kNearly = 0.8;  // the other ranks do not matter
    const bool is_one = by_one >= kNearly * by_all;
    const size_t batch = is_one ? one / num_dps() : all;
    const size_t dp = is_one ? one % num_dps() : num_dps();
    if ((is_one ? by_one : by_all) < kMostOfIt || !IsOftenLarge(batch, dp)) {
      found.time = LargestBatches();
      return found;
    }
    found.kind = Kind::kMicroBatch;
    if (is_one) found.dp = dp;
    const PipelineTask& task = TaskAt(sizes_.FirstTask(batch));
    found.micro_batch =
        task.micro_batch >= 0 ? task.micro_batch : task.sequence;
    std::vector<double> of_batch = SumsPerStep(num, [&](size_t t, size_t d) {
      return sizes_.IsPass(t) && (!is_one || d == dp) ? sizes_.BatchOf(t) : num;
    });
    for (double& sum : of_batch) {
      sum /= static_cast<double>(num_stages() * (is_one ? 1 : num_dps()));
    }
    found.time = of_batch[batch];
    found.usual = UsualOfOthers(of_batch, batch);
    return found;
  }

  // `dp` may be the number of ranks: all of them.
  bool IsOftenLarge(size_t batch, size_t dp) const {
    std::vector<double> excess;
    double mean = 0;
    for (size_t s = 0; s < num_steps(); ++s) {
      std::vector<double> sizes, all;
      for (size_t d = 0; d < num_dps(); ++d) {
        if (d == dp || dp == num_dps()) {
          sizes.push_back(sizes_.BothWays(s, batch, d));
        }
        for (size_t b = 0; b < sizes_.num_batches(); ++b) {
          all.push_back(sizes_.BothWays(s, b, d));
        }
      }
      excess.push_back(
          SizeRatio(LowerMedian(sizes), LowerMedian(std::move(all))) - 1);
      mean += excess.back() / static_cast<double>(num_steps());
    }
    const auto large = std::ranges::count_if(
        excess, [&](double of_step) { return of_step >= mean / 2; });
    return num_steps() > 1 && 2 * static_cast<size_t>(large) >= num_steps();
  }

  // How many times the usual size the largest micro-batch of a step has, in the
  // mean.
  double LargestBatches() const {
    double sum = 0;
    for (size_t s = 0; s < num_steps(); ++s) {
      std::vector<double> all;
      for (size_t b = 0; b < sizes_.num_batches(); ++b) {
        for (size_t dp = 0; dp < num_dps(); ++dp) {
          all.push_back(sizes_.BothWays(s, b, dp));
        }
      }
      if (all.empty()) return 1;
      const double largest = *std::ranges::max_element(all);
      sum += SizeRatio(largest, LowerMedian(std::move(all)));
    }
    return sum / static_cast<double>(num_steps());
  }

  // The stage nearer to the first one of a transfer.
  static size_t LinkOf(const PipelineTask& task) {
    return task.kind == PipelineKind::kForwardSend ||
                   task.kind == PipelineKind::kBackwardReceive ||
                   task.stage == 0
               ? task.stage
               : task.stage - 1;
  }

  PipelineStraggler FindLink() const {
    const size_t count = num_stages() * num_dps();
    const std::vector<double> times =
        SumsPerStep(count, [&](size_t t, size_t dp) {
          return Transfers(TaskAt(t).kind) ? LinkOf(TaskAt(t)) * num_dps() + dp
                                           : count;
        });
    const size_t worst = Largest(times);
    PipelineStraggler found;
    found.kind = Kind::kLink;
    found.stage = worst / num_dps();
    found.time = times[worst];
    // The links of the other ranks between the same stages may be slow too.
    std::vector<double> all_links, of_stage;
    for (size_t i = 0; i < times.size(); ++i) {
      if (i / num_dps() + 1 < num_stages()) all_links.push_back(times[i]);
      if (i / num_dps() == *found.stage) of_stage.push_back(times[i]);
    }
    found.usual = LowerMedian(std::move(all_links));
    const double others = UsualOfOthers(of_stage, worst % num_dps());
    const bool all_slow =
        num_dps() > 1 &&
        others - found.usual > kMostOfIt * (found.time - found.usual);
    if (!all_slow) found.dp = worst % num_dps();
    return found;
  }

  PipelineStraggler FindCollective() const {
    std::map<std::pair<profile::StringId, uint32_t>, std::pair<double, double>>
        sums;  // own and ideal lengths, by type and stage
    for (size_t t = 0; t < pipeline_.tasks().size(); ++t) {
      const PipelineTask& task = TaskAt(t);
      if (Transfers(task.kind) || Computes(task.kind)) continue;
      auto& [own, ideal] = sums[{task.type, task.stage}];
      for (size_t s = 0; s < num_steps(); ++s) {
        for (size_t dp = 0; dp < num_dps(); ++dp) {
          own += pipeline_.Own(s, t, dp);
          ideal += pipeline_.Ideal(t);
        }
      }
    }
    PipelineStraggler found;
    found.kind = Kind::kCollective;
    const double count = static_cast<double>(num_steps() * num_dps());
    double most = 0;
    for (const auto& [key, sum] : sums) {
      if (sum.first - sum.second <= most) continue;
      most = sum.first - sum.second;
      found.type = key.first;
      found.stage = key.second;
      found.time = sum.first / count;
      found.usual = sum.second / count;
    }
    return found;
  }

  // ---- Late begins

  // `late` is how much time is lost because of them.
  PipelineStraggler FindLate(double late) const {
    PipelineStraggler found;
    found.explains = 1;
    const auto judge = [&](const std::vector<double>& times) {
      const size_t worst = Largest(times);
      if (times[worst] < kEnoughOfIt * late) return false;
      found.kind = Kind::kLateStart;
      found.time = times[worst];
      found.explains = std::min(1.0, times[worst] / late);
      return true;
    };
    std::vector<double> first = FirstLate();
    if (!first.empty() && judge(first)) {
      found.dp = Largest(first);
      return found;
    }
    std::vector<double> workers(num_dps() * num_stages(), 0);
    for (size_t t = 0; t < pipeline_.tasks().size(); ++t) {
      if (!Computes(TaskAt(t).kind)) continue;
      for (size_t s = 0; s < num_steps(); ++s) {
        for (size_t dp = 0; dp < num_dps(); ++dp) {
          workers[dp * num_stages() + TaskAt(t).stage] +=
              std::max(0.0, pipeline_.Late(s, t, dp).value_or(0)) /
              static_cast<double>(num_steps());
        }
      }
    }
    if (judge(workers)) {
      found.dp = Largest(workers) / num_stages();
      found.stage = Largest(workers) % num_stages();
    } else if (std::accumulate(workers.begin(), workers.end(), 0.0) >= late) {
      found.kind = Kind::kLateAny;
    }
    return found;
  }

  // How late the first forward pass of each rank begins, in the mean of the
  // steps.
  std::vector<double> FirstLate() const {
    if (sizes_.num_batches() == 0) return {};
    const size_t task = sizes_.FirstTask(0);
    std::vector<double> late(num_dps(), 0);
    for (size_t s = 0; s < num_steps(); ++s) {
      double first = pipeline_.Start(s, task, 0);
      for (size_t dp = 1; dp < num_dps(); ++dp) {
        first = std::min(first, pipeline_.Start(s, task, dp));
      }
      for (size_t dp = 0; dp < num_dps(); ++dp) {
        // If it needs nothing, compare it with the other ranks.
        late[dp] +=
            std::max(0.0, pipeline_.Late(s, task, dp)
                              .value_or(pipeline_.Start(s, task, dp) - first)) /
            static_cast<double>(num_steps());
      }
    }
    return late;
  }

  const Pipeline& pipeline_;
  const PipelineWhatIf& what_if_;
  const util::TaskOptions& work_;
  const PassSizes sizes_;
};

}  // namespace

PipelineStraggler FindPipelineStraggler(const Pipeline& pipeline,
                                        const PipelineWhatIf& what_if,
                                        const util::TaskOptions& work) {
  return StragglerSearch(pipeline, what_if, work).Find();
}

}  // namespace tfprof::timeline
