#include "loaders/tensorflow/profile_proto/file_steps.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include "fmt/format.h"
#include "profile/steps/step_list.h"

namespace tfprof::tensorflow {
namespace {

enum class Relation { kNew, kSame, kApart, kClash };

struct Compared {
  Relation relation = Relation::kNew;
  profile::LaneId lane = profile::kNone;  // kClash: a lane that both ran on
};

std::span<const profile::ExecutionRecord> RecordsOf(const FileStep& step,
                                                    size_t group) {
  const size_t begin = step.first_record[group];
  const size_t end = group + 1 < step.first_record.size()
                         ? step.first_record[group + 1]
                         : step.records.size();
  return {step.records.data() + begin, end - begin};
}

// Returns whether group `g` of `known` has all of `records`, in order. If it
// has no others, the sums must be equal too.
bool HasAll(const profile::Step& known, uint32_t g,
            const profile::GroupSums& sums,
            std::span<const profile::ExecutionRecord> records) {
  size_t next = 0;
  for (size_t e = known.exec_begin(g);
       e < known.exec_end(g) && next < records.size(); ++e) {
    const profile::ExecutionRecord& r = records[next];
    if (known.LaneOf(e) != r.lane || known.HasStart(e) != r.has_start()) {
      continue;
    }
    if (!r.has_start() || (known.exec_start.Micros(e) == r.start &&
                           known.exec_duration.Micros(e) == r.duration)) {
      ++next;
    }
  }
  if (next < records.size()) return false;
  if (known.exec_end(g) - known.exec_begin(g) > records.size()) return true;
  const profile::GroupSums known_sums = known.sums.Of(g);
  return known_sums.run_count == sums.run_count &&
         known_sums.accelerator_time == sums.accelerator_time &&
         known_sums.cpu_time == sums.cpu_time &&
         known_sums.requested_bytes == sums.requested_bytes &&
         known_sums.peak_bytes == sums.peak_bytes &&
         known_sums.residual_bytes == sums.residual_bytes &&
         known_sums.output_bytes == sums.output_bytes;
}

Compared Compare(const profile::Step& known, const FileStep& step,
                 size_t num_lanes) {
  if (known.num_groups() == 0 || step.sums.empty()) {
    return {.relation = Relation::kNew};
  }
  // Its executions were dropped, so they cannot be compared.
  if (known.aggregated) return {.relation = Relation::kClash};
  bool same = true;
  for (size_t i = 0; same && i < step.sums.size(); ++i) {
    const uint32_t g = known.FindGroup(step.sums[i].node);
    same = g != profile::kNone &&
           HasAll(known, g, step.sums[i], RecordsOf(step, i));
  }
  if (same) return {.relation = Relation::kSame};
  std::vector<bool> ran_on(num_lanes, false);
  for (size_t e = 0; e < known.num_executions(); ++e) {
    const profile::LaneId lane = known.LaneOf(e);
    if (lane != profile::kNone) ran_on[lane] = true;
  }
  for (const profile::ExecutionRecord& record : step.records) {
    if (record.lane != profile::kNone && ran_on[record.lane]) {
      return {.relation = Relation::kClash, .lane = record.lane};
    }
  }
  return {.relation = Relation::kApart};
}

const profile::Step* FindFinished(const profile::ProfileBuilder& builder,
                                  int64_t id) {
  const auto& steps = builder.finished_steps();
  const auto it = std::lower_bound(
      steps.begin(), steps.end(), id,
      [](const auto& step, int64_t i) { return step->id < i; });
  return it != steps.end() && (*it)->id == id ? it->get() : nullptr;
}

// Returns numbers that neither the builder nor the file uses.
class FreeSteps {
 public:
  FreeSteps(const profile::ProfileBuilder& builder,
            const std::map<int64_t, FileStep>& steps)
      : builder_(builder), steps_(steps) {
    int64_t last = steps.rbegin()->first;
    if (!builder.finished_steps().empty()) {
      last = std::max(last, builder.finished_steps().back()->id);
    }
    next_ =
        last < std::numeric_limits<int64_t>::max() && last >= 0 ? last + 1 : 0;
  }

  int64_t Take() {
    while (steps_.contains(next_) || FindFinished(builder_, next_) != nullptr) {
      ++next_;
    }
    return next_++;
  }

 private:
  const profile::ProfileBuilder& builder_;
  const std::map<int64_t, FileStep>& steps_;
  int64_t next_ = 0;
};

std::string Named(const std::vector<int64_t>& steps) {
  return fmt::format("step{} {}", steps.size() > 1 ? "s" : "",
                     profile::FormatSteps(steps));
}

class Adder {
 public:
  Adder(std::map<int64_t, FileStep>& steps, const std::string& path,
        loaders::LoadContext& context)
      : steps_(steps), path_(path), context_(context) {}

  absl::Status Run() {
    profile::ProfileBuilder& builder = context_.builder;
    FreeSteps free(builder, steps_);
    std::vector<int64_t> same, apart, merged, clashing, renumbered;
    std::string device;
    // All decisions are made before anything is added, so an error adds
    // nothing.
    std::vector<std::pair<int64_t, FileStep*>> added;
    for (auto& [id, step] : steps_) {
      const profile::Step* known = FindFinished(builder, id);
      const Compared compared =
          known == nullptr
              ? Compared()
              : Compare(*known, step, builder.graph().lanes.size());
      if (compared.relation == Relation::kSame) {
        same.push_back(id);
        continue;
      }
      if (compared.relation == Relation::kApart) apart.push_back(id);
      if (compared.relation != Relation::kClash) {
        added.push_back({id, &step});
        continue;
      }
      if (device.empty() && compared.lane != profile::kNone) {
        const profile::GraphTables& graph = builder.graph();
        device = graph.devices.name(graph.lanes[compared.lane].device);
      }
      if (context_.same_step == loaders::SameStep::kMerge) {
        merged.push_back(id);
        added.push_back({id, &step});
      } else {
        clashing.push_back(id);
        renumbered.push_back(free.Take());
        added.push_back({renumbered.back(), &step});
      }
    }
    const std::string where = device.empty() ? "" : " on " + device;
    if (!clashing.empty() && context_.same_step == loaders::SameStep::kError) {
      return absl::FailedPreconditionError(fmt::format(
          "{}: {} in an earlier file, with other executions{}; "
          "--same_step=renumber keeps both, --same_step=merge adds them up",
          path_, Is(clashing), where));
    }
    std::vector<int64_t> ids;
    for (const auto& [id, step] : added) {
      ids.push_back(id);
      if (step->listed) builder.AddStep(id);
      builder.AddGroups(id, std::move(step->sums), std::move(step->records));
    }
    // Makes the columns that the next file is compared with.
    builder.FinishSteps(ids);
    Note("step saved twice", same,
         "in an earlier file, with the same executions: read once");
    Note("step of several workers", apart,
         "in an earlier file, on other devices: added to it");
    Note("step merged", merged,
         fmt::format("in an earlier file, with other executions{}: added to "
                     "it",
                     where));
    Note("step renumbered", clashing,
         fmt::format("in an earlier file, with other executions{}: kept as {} "
                     "(--same_step=merge adds them up)",
                     where, Named(renumbered)));
    return absl::OkStatus();
  }

 private:
  static std::string Is(const std::vector<int64_t>& steps) {
    return fmt::format("{} {}", Named(steps), steps.size() > 1 ? "are" : "is");
  }

  void Note(std::string_view kind, const std::vector<int64_t>& steps,
            std::string_view text) {
    if (steps.empty()) return;
    context_.log.Add(loaders::ImportLog::kNotice, kind,
                     fmt::format("{}: {} {}", path_, Is(steps), text));
  }

  std::map<int64_t, FileStep>& steps_;
  const std::string& path_;
  loaders::LoadContext& context_;
};

}  // namespace

absl::Status AddFileSteps(std::map<int64_t, FileStep> steps,
                          const std::string& path,
                          loaders::LoadContext& context) {
  if (steps.empty()) return absl::OkStatus();
  return Adder(steps, path, context).Run();
}

}  // namespace tfprof::tensorflow
