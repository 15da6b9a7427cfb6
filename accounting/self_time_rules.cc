#include "accounting/self_time_rules.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "accounting/lane_time.h"
#include "util/arithmetic.h"
#include "util/run/threads.h"

namespace tfprof::accounting {
namespace {

void AddTo(int64_t& sum, int64_t value) { sum = util::WrapAdd(sum, value); }

class Rules : public profile::AccountingRules {
 public:
  bool MakesNode(std::string_view) const override { return true; }

  int64_t CountedTicks(int64_t ticks, int64_t) const override { return ticks; }

  bool PlacesNodes(const profile::GraphTables&,
                   std::span<const profile::LaneExecutions>) const override {
    return false;
  }

  profile::Admission Admit(
      const profile::AdmissionRequest& request) const override {
    for (profile::LaneExecutions& executions : request.batch) {
      for (profile::ExecutionRecord& r : executions.records) {
        if (request.nodes.Has(r.node)) r.lane = executions.lane;
      }
    }
    return {};
  }

  bool SelfTimes() const override { return true; }
  bool TakesEvents() const override { return true; }

  void Sum(const profile::StepRecords& step,
           std::span<profile::GroupSums> sums) const override {
    util::ParallelFor(step.work, step.parts.size(), [&](size_t part) {
      for (const profile::LaneExecutions& batch : step.batches) {
        AddBatch(step, step.parts[part], batch, sums);
      }
      for (const profile::StepEvents& events : step.events) {
        AddEvents(step, step.parts[part], events, sums);
      }
    });
  }

 private:
  static TimeKind KindOfLane(const profile::StepRecords& step,
                             profile::LaneId lane) {
    const profile::LaneTable& lanes = step.graph.lanes;
    return lane < lanes.size() ? TimeKindOf(lanes[lane].kind)
                               : TimeKind::kNothing;
  }

  // Adds the records of `batch` whose nodes are in `nodes`.
  static void AddBatch(const profile::StepRecords& step,
                       profile::NodeRange nodes,
                       const profile::LaneExecutions& batch,
                       std::span<profile::GroupSums> sums) {
    const TimeKind kind = KindOfLane(step, batch.lane);
    // The ticks of the batch are at least as long as those of the sums.
    const int64_t factor = std::max<int64_t>(
        1, step.graph.ticks_per_micro / batch.ticks_per_micro);
    for (size_t i = 0; i < batch.records.size(); ++i) {
      const profile::ExecutionRecord& r = batch.records[i];
      if (!nodes.Has(r.node)) continue;
      profile::GroupSums& group = sums[step.group_of_node[r.node]];
      AddTo(group.requested_bytes, r.requested_bytes);
      AddTo(group.peak_bytes, r.peak_bytes);
      AddTo(group.residual_bytes, r.residual_bytes);
      AddTo(group.output_bytes, r.output_bytes);
      if (!r.has_start() || kind == TimeKind::kNothing) continue;
      const int64_t duration = std::max<int64_t>(0, r.duration);
      group.AddSpan(r.start, util::SaturatingAdd(r.start, duration));
      const int64_t self =
          batch.self.empty() ? duration : std::max<int64_t>(0, batch.self[i]);
      AddTo(kind == TimeKind::kCpu ? group.cpu_time : group.accelerator_time,
            util::WrapMul(self, factor));
      group.run_count += batch.are_runs;
    }
  }

  // The target and the common properties of a group of events.
  struct GroupTarget {
    profile::GroupSums* sums =
        nullptr;  // nullptr: not in this part, or no node
    TimeKind kind = TimeKind::kNothing;
    bool are_runs = false;
    int64_t output_bytes = 0;
  };

  // The same for events.
  static void AddEvents(const profile::StepRecords& step,
                        profile::NodeRange nodes,
                        const profile::StepEvents& events,
                        std::span<profile::GroupSums> sums) {
    const profile::LaneEvents& lane = *events.lane;
    const int64_t factor = std::max<int64_t>(
        1, step.graph.ticks_per_micro / profile::LaneEvents::kTicksPerMicro);
    const auto target_of = [&](const profile::LaneEventGroup& group) {
      GroupTarget target;
      if (group.node == profile::kNone || !nodes.Has(group.node)) return target;
      target.sums = &sums[step.group_of_node[group.node]];
      target.kind = KindOfLane(step, group.lane);
      target.are_runs = group.are_runs;
      target.output_bytes = group.output_bytes;
      return target;
    };
    // A lane may have as many groups as events, but only few events in this
    // step.
    std::vector<GroupTarget> targets;
    if (lane.groups.size() <= events.end - events.begin) {
      for (const profile::LaneEventGroup& group : lane.groups) {
        targets.push_back(target_of(group));
      }
    }
    auto inside = std::lower_bound(
        lane.inside.begin(), lane.inside.end(), events.begin,
        [](const auto& entry, uint32_t event) { return entry.first < event; });
    for (uint32_t i = events.begin; i < events.end; ++i) {
      const profile::LaneEvent& event = lane.events[i];
      const GroupTarget target = targets.empty()
                                     ? target_of(lane.groups[event.group])
                                     : targets[event.group];
      if (target.sums == nullptr) continue;
      profile::GroupSums& group = *target.sums;
      AddTo(group.output_bytes, target.output_bytes);
      if (target.kind == TimeKind::kNothing) continue;
      group.AddSpan(event.start,
                    util::SaturatingAdd(event.start, event.duration));
      int64_t self = event.duration;
      if (!lane.self.empty()) {
        self = std::max<int64_t>(0, lane.self[i]);
      } else {
        while (inside != lane.inside.end() && inside->first < i) ++inside;
        if (inside != lane.inside.end() && inside->first == i) {
          self -= inside->second;
        }
      }
      AddTo(target.kind == TimeKind::kCpu ? group.cpu_time
                                          : group.accelerator_time,
            util::WrapMul(self, factor));
      group.run_count += target.are_runs;
    }
    const auto first = std::lower_bound(
        lane.requested.begin(), lane.requested.end(), events.begin,
        [](const auto& entry, uint32_t event) { return entry.first < event; });
    for (auto at = first;
         at != lane.requested.end() && at->first < events.end;) {
      const uint32_t event = at->first;
      int64_t bytes = 0;
      for (; at != lane.requested.end() && at->first == event; ++at) {
        bytes = util::SaturatingAdd(bytes, at->second);
      }
      const GroupTarget target = target_of(lane.GroupOf(event));
      if (target.sums != nullptr) AddTo(target.sums->requested_bytes, bytes);
    }
  }
};

}  // namespace

const profile::AccountingRules& SelfTimeRules() {
  static const Rules rules;
  return rules;
}

}  // namespace tfprof::accounting
