#include "accounting/self_time_rules.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "util/arithmetic.h"
#include "util/threads.h"

namespace tfprof {
namespace {

// How the times of a lane count.
enum class TimeKind : uint8_t { kNothing, kAccelerator, kCpu };

TimeKind KindOf(LaneKind kind) {
  switch (kind) {
    case LaneKind::kKernels:
    case LaneKind::kCopies:
    case LaneKind::kCommunication:
      return TimeKind::kAccelerator;
    case LaneKind::kCompute:
    case LaneKind::kLaunches:
      return TimeKind::kCpu;
    case LaneKind::kAnnotation:
    case LaneKind::kOther:
      break;
  }
  return TimeKind::kNothing;
}

void AddTo(int64_t& sum, int64_t value) { sum = WrapAdd(sum, value); }

class Rules : public AccountingRules {
 public:
  bool MakesNode(std::string_view) const override { return true; }

  int64_t CountedTicks(int64_t ticks, int64_t) const override { return ticks; }

  bool PlacesNodes(const GraphTables&,
                   std::span<const LaneExecutions>) const override {
    return false;
  }

  Admission Admit(const AdmissionRequest& request) const override {
    for (LaneExecutions& executions : request.batch) {
      for (ExecutionRecord& r : executions.records) {
        if (request.nodes.Has(r.node)) r.lane = executions.lane;
      }
    }
    return {};
  }

  bool SelfTimes() const override { return true; }

  void Sum(const StepRecords& step, std::span<GroupSums> sums) const override {
    const LaneTable& lanes = step.graph.lanes;
    std::vector<TimeKind> kind_of_lane;
    for (LaneId l = 0; l < lanes.size(); ++l) {
      kind_of_lane.push_back(KindOf(lanes[l].kind));
    }
    ParallelFor(step.work, step.parts.size(), [&](size_t part) {
      for (const LaneExecutions& batch : step.batches) {
        AddBatch(step, step.parts[part], batch, kind_of_lane, sums);
      }
    });
  }

 private:
  // Adds the records of `batch` whose nodes are in `nodes`.
  static void AddBatch(const StepRecords& step, NodeRange nodes,
                       const LaneExecutions& batch,
                       const std::vector<TimeKind>& kind_of_lane,
                       std::span<GroupSums> sums) {
    const TimeKind kind = batch.lane < kind_of_lane.size()
                              ? kind_of_lane[batch.lane]
                              : TimeKind::kNothing;
    // Ticks of the batch are not shorter than those of the sums.
    const int64_t factor = std::max<int64_t>(
        1, step.graph.ticks_per_micro / batch.ticks_per_micro);
    for (size_t i = 0; i < batch.records.size(); ++i) {
      const ExecutionRecord& r = batch.records[i];
      if (!nodes.Has(r.node)) continue;
      GroupSums& group = sums[step.group_of_node[r.node]];
      AddTo(group.requested_bytes, r.requested_bytes);
      AddTo(group.peak_bytes, r.peak_bytes);
      AddTo(group.residual_bytes, r.residual_bytes);
      AddTo(group.output_bytes, r.output_bytes);
      if (!r.has_start() || kind == TimeKind::kNothing) continue;
      const int64_t duration = std::max<int64_t>(0, r.duration);
      group.AddSpan(r.start, SaturatingAdd(r.start, duration));
      const int64_t self =
          batch.self.empty() ? duration : std::max<int64_t>(0, batch.self[i]);
      AddTo(kind == TimeKind::kCpu ? group.cpu_time : group.accelerator_time,
            WrapMul(self, factor));
      group.run_count += batch.are_runs;
    }
  }
};

}  // namespace

const AccountingRules& SelfTimeRules() {
  static const Rules rules;
  return rules;
}

}  // namespace tfprof
