#include "timeline/ranks/pipeline.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "util/median.h"
#include "util/run/threads.h"

namespace tfprof::timeline {
namespace {

constexpr double kMicrosOfNano = 1e-3;
// Each stage and each type is simulated, so a file with a million of them would
// never end.
constexpr size_t kMostParts = 1000;

PipelineKind KindOfType(std::string_view type) {
  static constexpr std::pair<std::string_view, PipelineKind> kKinds[] = {
      {"forward-compute", PipelineKind::kForward},
      {"backward-compute", PipelineKind::kBackward},
      {"forward-send", PipelineKind::kForwardSend},
      {"forward-recv", PipelineKind::kForwardReceive},
      {"backward-send", PipelineKind::kBackwardSend},
      {"backward-recv", PipelineKind::kBackwardReceive},
      {"params-all-gather", PipelineKind::kGather},
      {"grads-reduce-scatter", PipelineKind::kReduce},
      {"separate-grads-all-reduce", PipelineKind::kSeparateReduce},
      {"layernorm-grads-all-reduce", PipelineKind::kNormReduce},
      {"embedding-grads-all-reduce", PipelineKind::kEmbeddingReduce},
      {"optimizer-clip-main-grad", PipelineKind::kClip},
      {"optimizer", PipelineKind::kOptimizer},
      {"gc", PipelineKind::kGarbage},
  };
  for (const auto& [name, kind] : kKinds) {
    if (type == name) return kind;
  }
  return PipelineKind::kOther;
}

bool IsPass(PipelineKind kind) {
  return kind == PipelineKind::kForward || kind == PipelineKind::kBackward;
}

// All ranks of a stage end it together.
bool IsOfAllRanks(PipelineKind kind) {
  return kind == PipelineKind::kGather || kind == PipelineKind::kReduce ||
         kind == PipelineKind::kSeparateReduce || kind == PipelineKind::kClip;
}

}  // namespace

bool Computes(PipelineKind kind) {
  return IsPass(kind) || kind == PipelineKind::kOptimizer ||
         kind == PipelineKind::kGarbage;
}

bool Transfers(PipelineKind kind) {
  return kind == PipelineKind::kForwardSend ||
         kind == PipelineKind::kForwardReceive ||
         kind == PipelineKind::kBackwardSend ||
         kind == PipelineKind::kBackwardReceive;
}

// Makes a Pipeline.
class Pipeline::Maker {
 public:
  explicit Maker(const profile::Profile& profile) {
    made_.profile_ = &profile;
    const profile::PipelineOps& ops = profile.pipeline_ops();
    ops_.reserve(ops.size());
    for (size_t i = 0; i < ops.size(); ++i) ops_.push_back(ops[i]);
  }

  absl::StatusOr<Pipeline> Make() {
    absl::Status status = ChooseTasks();
    if (!status.ok()) return status;
    TakeSteps();
    FindNeeds();
    FindGroups();
    status = SortEvents();
    if (!status.ok()) return status;
    FindIdealLengths();
    return std::move(made_);
  }

 private:
  using Ops = std::span<const profile::PipelineOp>;

  // ---- Steps and tasks

  // Splits rows at the changes of a member.
  template <typename Member>
  static std::vector<Ops> SplitBy(Ops ops, Member member) {
    std::vector<Ops> parts;
    for (size_t begin = 0, end = 0; begin < ops.size(); begin = end) {
      while (end < ops.size() && ops[end].*member == ops[begin].*member) ++end;
      parts.push_back(ops.subspan(begin, end - begin));
    }
    return parts;
  }

  static bool AreSame(Ops a, Ops b) {
    return std::ranges::equal(
        a, b, [](const profile::PipelineOp& x, const profile::PipelineOp& y) {
          return std::tie(x.stage, x.type, x.sequence) ==
                 std::tie(y.stage, y.type, y.sequence);
        });
  }

  // A step with an operation twice, or whose ranks differ, is no model.
  static bool IsComplete(const std::vector<Ops>& ranks) {
    const Ops first = ranks.front();
    for (size_t i = 1; i < first.size(); ++i) {
      if (AreSame(first.subspan(i - 1, 1), first.subspan(i, 1))) return false;
    }
    return std::ranges::all_of(ranks,
                               [&](Ops ops) { return AreSame(ops, first); });
  }

  // The model is the first complete step with the most operations: a recording
  // may begin or end within a step.
  absl::Status ChooseTasks() {
    if (ops_.empty()) {
      return absl::FailedPreconditionError(
          "no execution says its data-parallel rank, its stage of a pipeline, "
          "its step and its number in that step");
    }
    size_t most = 0;
    for (const Ops step : SplitBy(Ops(ops_), &profile::PipelineOp::step)) {
      by_step_.push_back(SplitBy(step, &profile::PipelineOp::dp));
      if (step.size() <= most || !IsComplete(by_step_.back())) continue;
      most = step.size();
      model_ = by_step_.size() - 1;
    }
    if (most == 0) {
      return absl::FailedPreconditionError(
          "in no step do all data-parallel ranks have the same operations");
    }
    for (const Ops ops : by_step_[model_]) {
      made_.dps_.push_back(ops.front().dp);
    }
    int32_t chunk = -1;  // of the stage
    for (const profile::PipelineOp& op : by_step_[model_].front()) {
      if (made_.stages_.empty() || made_.stages_.back() != op.stage) {
        made_.stages_.push_back(op.stage);
        chunk = op.model_chunk;
      }
      if (chunk < 0) chunk = op.model_chunk;
      if (op.model_chunk >= 0 && op.model_chunk != chunk) {
        return absl::FailedPreconditionError(fmt::format(
            "stage {} has several model chunks: the order of an interleaved "
            "pipeline is not known",
            op.stage));
      }
      made_.tasks_.push_back(
          {.kind = KindOfType(made_.profile_->strings().Get(op.type)),
           .stage = static_cast<uint32_t>(made_.stages_.size() - 1),
           .sequence = op.sequence,
           .type = op.type,
           .micro_batch = op.micro_batch});
    }
    std::set<profile::StringId> types;
    for (const PipelineTask& task : made_.tasks_) types.insert(task.type);
    if (made_.stages_.size() + types.size() > kMostParts) {
      return absl::FailedPreconditionError(fmt::format(
          "{} stages and {} types of operations are more than a pipeline has",
          made_.stages_.size(), types.size()));
    }
    return absl::OkStatus();
  }

  void TakeSteps() {
    const std::vector<Ops>& model = by_step_[model_];
    const size_t num_tasks = made_.tasks_.size(), n = made_.dps_.size();
    for (size_t i = 0; i < by_step_.size(); ++i) {
      const std::vector<Ops>& ranks = by_step_[i];
      const int64_t number = ranks.front().front().step;
      const bool fits = std::ranges::equal(ranks, model, [](Ops a, Ops b) {
        return a.front().dp == b.front().dp && AreSame(a, b);
      });
      if (!fits) {
        made_.left_out_.push_back(number);
        continue;
      }
      if (i == model_) model_step_ = made_.steps_.size();
      made_.steps_.push_back(number);
      const size_t first = made_.own_.size();
      made_.own_.resize(first + num_tasks * n);
      made_.start_.resize(first + num_tasks * n);
      double begin = ranks[0][0].start * kMicrosOfNano, end = begin;
      for (size_t d = 0; d < n; ++d) {
        for (size_t t = 0; t < num_tasks; ++t) {
          const profile::PipelineOp& op = ranks[d][t];
          const double start = static_cast<double>(op.start) * kMicrosOfNano;
          const double length =
              static_cast<double>(op.duration) * kMicrosOfNano;
          made_.start_[first + t * n + d] = start;
          made_.own_[first + t * n + d] = length;
          begin = std::min(begin, start);
          end = std::max(end, start + length);
        }
      }
      made_.recorded_.push_back(end - begin);
    }
  }

  // ---- What an operation needs

  double StartOf(size_t task) const {
    return made_
        .start_[(model_step_ * made_.tasks_.size() + task) * made_.dps_.size()];
  }
  double EndOf(size_t task) const {
    return StartOf(task) + made_.Own(model_step_, task, 0);
  }

  void Need(size_t task, size_t needed) {
    made_.needs_[task].push_back(static_cast<uint32_t>(needed));
  }
  void Chain(const std::vector<size_t>& tasks) {
    for (size_t i = 1; i < tasks.size(); ++i) Need(tasks[i], tasks[i - 1]);
  }

  // The tasks of each stage in the order of time.
  std::vector<std::vector<size_t>> TasksOfStages() const {
    std::vector<std::vector<size_t>> stages(made_.stages_.size());
    for (size_t t = 0; t < made_.tasks_.size(); ++t) {
      stages[made_.tasks_[t].stage].push_back(t);
    }
    const auto key = [&](size_t t) {
      return std::tuple(StartOf(t), made_.tasks_[t].sequence,
                        made_.profile_->strings().Get(made_.tasks_[t].type));
    };
    for (std::vector<size_t>& tasks : stages) {
      std::ranges::stable_sort(tasks, {}, key);
    }
    return stages;
  }

  template <typename Wanted>
  std::vector<size_t> Only(const std::vector<size_t>& tasks,
                           Wanted wanted) const {
    std::vector<size_t> chosen;
    for (const size_t t : tasks) {
      if (wanted(made_.tasks_[t].kind)) chosen.push_back(t);
    }
    return chosen;
  }
  std::vector<size_t> Only(const std::vector<size_t>& tasks,
                           PipelineKind kind) const {
    return Only(tasks, [kind](PipelineKind of) { return of == kind; });
  }

  void FindNeeds() {
    made_.needs_.resize(made_.tasks_.size());
    const std::vector<std::vector<size_t>> of_stages = TasksOfStages();
    for (size_t stage = 0; stage < of_stages.size(); ++stage) {
      const std::vector<size_t>& tasks = of_stages[stage];
      const std::vector<size_t> passes = Only(tasks, IsPass);
      Chain(passes);
      OrderTransfers(tasks, passes);
      const bool is_end = stage == 0 || stage + 1 == made_.stages_.size();
      OrderCollectives(tasks, passes, is_end);
    }
  }

  void OrderTransfers(const std::vector<size_t>& tasks,
                      const std::vector<size_t>& passes) {
    struct Way {
      PipelineKind pass, send, receive;
    };
    for (const Way& way :
         {Way{PipelineKind::kForward, PipelineKind::kForwardSend,
              PipelineKind::kForwardReceive},
          Way{PipelineKind::kBackward, PipelineKind::kBackwardSend,
              PipelineKind::kBackwardReceive}}) {
      const std::vector<size_t> of_way = Only(passes, way.pass);
      for (const PipelineKind kind : {way.send, way.receive}) {
        std::vector<size_t> transfers = Only(tasks, kind);
        Chain(transfers);
        std::ranges::stable_sort(
            transfers, {}, [&](size_t t) { return made_.tasks_[t].sequence; });
        const size_t pairs = std::min(transfers.size(), of_way.size());
        for (size_t i = 0; i < pairs; ++i) {
          if (kind == way.send) {
            Need(transfers[i], of_way[i]);
            continue;
          }
          Need(of_way[i], transfers[i]);
          if (i > 0) Need(transfers[i], of_way[i - 1]);
        }
      }
    }
    // The first transfers of the backward pass wait for the forward passes that
    // fill the pipeline.
    const auto first =
        std::ranges::find(passes, PipelineKind::kBackward,
                          [&](size_t t) { return made_.tasks_[t].kind; });
    if (first == passes.end() || first - passes.begin() < 2) return;
    for (const PipelineKind kind :
         {PipelineKind::kBackwardReceive, PipelineKind::kBackwardSend}) {
      for (const size_t t : Only(tasks, kind)) {
        if (made_.tasks_[t].sequence == 0) Need(t, *(first - 2));
      }
    }
  }

  void OrderCollectives(const std::vector<size_t>& tasks,
                        const std::vector<size_t>& passes, bool is_end) {
    const std::vector<size_t> gather = Only(tasks, PipelineKind::kGather);
    const std::vector<size_t> reduce = Only(tasks, PipelineKind::kReduce);
    const std::vector<size_t> apart =
        Only(tasks, PipelineKind::kSeparateReduce);
    if (!gather.empty() && !passes.empty()) Need(passes[0], gather.back());
    std::vector<size_t> chain = gather;
    chain.insert(chain.end(), reduce.begin(), reduce.end());
    Chain(chain);
    // What follows the last pass.
    std::vector<size_t> tail = Only(tasks, PipelineKind::kGarbage);
    const auto add = [&](const std::vector<size_t>& more) {
      tail.insert(tail.end(), more.begin(), more.end());
    };
    const std::vector<size_t> norm = Only(tasks, PipelineKind::kNormReduce);
    add(norm);
    if (is_end) add(Only(tasks, PipelineKind::kEmbeddingReduce));
    if (apart.empty()) {
      add(reduce);
    } else {  // the reduction runs beside the backward pass
      const std::vector<size_t> backward =
          Only(passes, PipelineKind::kBackward);
      if (!reduce.empty() && !backward.empty()) {
        Need(reduce[0], backward.back());
      }
      if (!reduce.empty() && !norm.empty()) Need(norm[0], reduce.back());
      add(apart);
    }
    add(Only(tasks, PipelineKind::kClip));
    add(Only(tasks, PipelineKind::kOptimizer));
    Chain(tail);
    if (!tail.empty() && !passes.empty()) {
      Need(tail[0], *std::ranges::max_element(
                        passes, {}, [&](size_t t) { return EndOf(t); }));
    }
  }

  // ---- What ends together

  // The key of the group in which a task ends: its kind, the stage of the
  // sender, its number.
  std::tuple<PipelineKind, uint32_t, int32_t> GroupOf(
      const PipelineTask& task) const {
    const uint32_t last = static_cast<uint32_t>(made_.stages_.size() - 1);
    switch (task.kind) {
      case PipelineKind::kForwardReceive:
        if (task.stage == 0) break;
        return {PipelineKind::kForwardSend, task.stage - 1, task.sequence};
      case PipelineKind::kBackwardReceive:
        if (task.stage == last) break;
        return {PipelineKind::kBackwardSend, task.stage + 1, task.sequence};
      case PipelineKind::kEmbeddingReduce:
        if (task.stage != 0 && task.stage != last) break;
        return {task.kind, 0, task.sequence};
      case PipelineKind::kClip:
        return {task.kind, 0, task.sequence};
      default:
        break;
    }
    return {task.kind, task.stage, task.sequence};
  }

  void FindGroups() {
    std::map<std::tuple<PipelineKind, uint32_t, int32_t>, uint32_t> numbers;
    group_of_.resize(made_.tasks_.size());
    for (size_t t = 0; t < made_.tasks_.size(); ++t) {
      const PipelineTask& task = made_.tasks_[t];
      uint32_t number = static_cast<uint32_t>(groups_.size());
      // Operations of unknown types may share a number.
      if (task.kind != PipelineKind::kOther) {
        number = numbers.try_emplace(GroupOf(task), number).first->second;
      }
      if (number == groups_.size()) groups_.emplace_back();
      groups_[number].push_back(static_cast<uint32_t>(t));
      group_of_[t] = number;
    }
  }

  // Sorts begins and ends so that each comes after all that it needs.
  absl::Status SortEvents() {
    const size_t n = made_.tasks_.size();
    std::vector<size_t> missing(n, 0), to_begin(groups_.size());
    std::vector<std::vector<uint32_t>> after(n);
    std::vector<uint32_t> ready;
    for (uint32_t t = 0; t < n; ++t) {
      std::vector<uint32_t>& needs = made_.needs_[t];
      std::ranges::sort(needs);
      needs.erase(std::unique(needs.begin(), needs.end()), needs.end());
      missing[t] = needs.size();
      for (const uint32_t needed : needs) after[needed].push_back(t);
      if (needs.empty()) ready.push_back(t);
    }
    for (size_t g = 0; g < groups_.size(); ++g) to_begin[g] = groups_[g].size();
    for (size_t next = 0; next < ready.size(); ++next) {
      const uint32_t task = ready[next];
      made_.events_.push_back({.begins = true, .task = task});
      const std::vector<uint32_t>& group = groups_[group_of_[task]];
      if (--to_begin[group_of_[task]] > 0) continue;
      Event end;
      end.first = static_cast<uint32_t>(made_.members_.size());
      made_.members_.insert(made_.members_.end(), group.begin(), group.end());
      end.last = static_cast<uint32_t>(made_.members_.size());
      end.all_ranks = IsOfAllRanks(made_.tasks_[task].kind);
      made_.events_.push_back(end);
      for (const uint32_t member : group) {
        for (const uint32_t t : after[member]) {
          if (--missing[t] == 0) ready.push_back(t);
        }
      }
    }
    if (ready.size() == n) return absl::OkStatus();
    const auto stuck = std::ranges::find_if(
        made_.tasks_, [&, t = uint32_t{0}](const PipelineTask&) mutable {
          return std::ranges::find(ready, t++) == ready.end();
        });
    return absl::FailedPreconditionError(fmt::format(
        "operations wait for each other in a circle, as {} {} of stage {}",
        made_.profile_->strings().Get(stuck->type), stuck->sequence,
        made_.stages_[stuck->stage]));
  }

  // ---- Lengths

  void FindIdealLengths() {
    std::map<profile::StringId, std::vector<double>> lengths;
    const size_t n = made_.dps_.size();
    for (size_t s = 0; s < made_.steps_.size(); ++s) {
      for (size_t t = 0; t < made_.tasks_.size(); ++t) {
        std::vector<double>& of = lengths[made_.tasks_[t].type];
        for (size_t d = 0; d < n; ++d) of.push_back(made_.Own(s, t, d));
      }
    }
    std::map<profile::StringId, double> ideal;
    for (auto& [type, of] : lengths) {
      const PipelineKind kind = KindOfType(made_.profile_->strings().Get(type));
      ideal[type] = Computes(kind)
                        ? std::accumulate(of.begin(), of.end(), 0.0) /
                              static_cast<double>(of.size())
                        : util::Median(std::move(of));
    }
    for (const PipelineTask& task : made_.tasks_) {
      made_.ideal_.push_back(ideal[task.type]);
    }
  }

  std::vector<profile::PipelineOp> ops_;
  std::vector<std::vector<Ops>> by_step_;  // by step, then rank
  size_t model_ = 0;                       // the step of the model, in by_step_
  size_t model_step_ = 0;                  // the same in made_.steps_
  std::vector<std::vector<uint32_t>> groups_;
  std::vector<uint32_t> group_of_;  // by task
  Pipeline made_;
};

absl::StatusOr<Pipeline> Pipeline::Make(const profile::Profile& profile) {
  return Maker(profile).Make();
}

std::optional<double> Pipeline::Late(size_t step, size_t task,
                                     size_t dp) const {
  const auto at = [&](size_t t) {
    return (step * tasks_.size() + t) * dps_.size() + dp;
  };
  std::optional<double> ready;
  for (const uint32_t needed : needs_[task]) {
    const double end = start_[at(needed)] + own_[at(needed)];
    ready = ready ? std::max(*ready, end) : end;
  }
  return ready ? std::optional(start_[at(task)] - *ready) : std::nullopt;
}

double Pipeline::StepTime(std::span<const double> lengths,
                          size_t columns) const {
  std::vector<double> begin(tasks_.size() * columns, 0);
  std::vector<double> end(tasks_.size() * columns, 0);
  std::vector<double> together(columns);
  for (const Event& event : events_) {
    if (event.begins) {
      double* const of = &begin[event.task * columns];
      for (const uint32_t needed : needs_[event.task]) {
        const double* const ends = &end[needed * columns];
        for (size_t c = 0; c < columns; ++c) of[c] = std::max(of[c], ends[c]);
      }
      continue;
    }
    std::ranges::fill(together, 0);
    for (uint32_t m = event.first; m < event.last; ++m) {
      const double* const begins = &begin[members_[m] * columns];
      for (size_t c = 0; c < columns; ++c) {
        together[c] = std::max(together[c], begins[c]);
      }
    }
    if (event.all_ranks) {
      std::ranges::fill(together, *std::ranges::max_element(together));
    }
    for (uint32_t m = event.first; m < event.last; ++m) {
      const size_t at = members_[m] * columns;
      for (size_t c = 0; c < columns; ++c) {
        end[at + c] = together[c] + lengths[at + c];
      }
    }
  }
  double last = 0, last_optimizer = 0;
  for (size_t t = 0; t < tasks_.size(); ++t) {
    for (size_t c = 0; c < columns; ++c) {
      last = std::max(last, end[t * columns + c]);
      if (tasks_[t].kind != PipelineKind::kOptimizer) continue;
      last_optimizer = std::max(last_optimizer, end[t * columns + c]);
    }
  }
  return last_optimizer > 0 ? last_optimizer : last;
}

std::vector<double> MeanStepTimes(const Pipeline& pipeline,
                                  std::span<const PipelineVariant> variants,
                                  const util::TaskOptions& work) {
  const size_t num_steps = pipeline.steps().size();
  std::vector<double> times(variants.size() * num_steps, 0);
  util::ParallelFor(work, num_steps, [&](size_t step) {
    std::vector<double> lengths;
    for (size_t v = 0; v < variants.size() && !work.cancelled(); ++v) {
      const size_t columns =
          variants[v].columns > 0 ? variants[v].columns : pipeline.dps().size();
      lengths.resize(pipeline.tasks().size() * columns);
      for (size_t t = 0; t < pipeline.tasks().size(); ++t) {
        for (size_t c = 0; c < columns; ++c) {
          lengths[t * columns + c] = variants[v].length(step, t, c);
        }
      }
      times[v * num_steps + step] = pipeline.StepTime(lengths, columns);
    }
  });
  std::vector<double> means;
  for (size_t v = 0; v < variants.size(); ++v) {
    const auto first = times.begin() + static_cast<ptrdiff_t>(v * num_steps);
    means.push_back(
        std::accumulate(first, first + static_cast<ptrdiff_t>(num_steps), 0.0) /
        static_cast<double>(num_steps));
  }
  return means;
}

}  // namespace tfprof::timeline
