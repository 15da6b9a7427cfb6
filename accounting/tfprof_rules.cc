#include "accounting/tfprof_rules.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "accounting/lane_time.h"
#include "util/arithmetic.h"
#include "util/run/threads.h"

namespace tfprof::accounting {
namespace {

void AddTo(int64_t& sum, int64_t value) { sum = util::WrapAdd(sum, value); }

int64_t Counted(int64_t ticks, int64_t ticks_per_micro) {
  return ticks != 0 ? ticks : ticks_per_micro;
}

class Rules : public profile::AccountingRules {
 public:
  bool MakesNode(std::string_view name) const override {
    return name != "RecvTensor" && name != "_SOURCE" &&
           name.find("MEMCPY") == name.npos;
  }

  int64_t CountedTicks(int64_t ticks, int64_t ticks_per_micro) const override {
    return Counted(ticks, ticks_per_micro);
  }

  bool PlacesNodes(
      const profile::GraphTables& graph,
      std::span<const profile::LaneExecutions> batch) const override {
    for (const profile::LaneExecutions& e : batch) {
      if (!graph.devices[graph.lanes[e.lane].device].canonical) continue;
      for (const profile::ExecutionRecord& r : e.records) {
        if (graph.nodes.device[r.node] == profile::kNone) return true;
      }
    }
    return false;
  }

  profile::Admission Admit(
      const profile::AdmissionRequest& request) const override {
    const profile::GraphTables& graph = request.graph;
    const std::vector<profile::DeviceId>& device_of_node = graph.nodes.device;
    const profile::NodeRange nodes = request.nodes;
    const std::span<profile::Coverage> coverage = request.coverage;
    profile::Admission result;
    std::vector<bool> placed(nodes.end - nodes.begin, false);
    for (size_t l = 0; l < request.batch.size(); ++l) {
      profile::LaneExecutions& executions = request.batch[l];
      const profile::LaneId lane = executions.lane;
      const profile::DeviceId device = graph.lanes[lane].device;
      const bool canonical = graph.devices[device].canonical;
      // In the reference, the device of a node without a device is named "".
      const bool nameless = graph.devices.name(device).empty();
      const int64_t of_zero = Counted(0, executions.ticks_per_micro);
      std::vector<profile::ExecutionRecord>& records = executions.records;
      for (size_t i = 0; i < records.size(); ++i) {
        profile::ExecutionRecord& r = records[i];
        if (!nodes.Has(r.node)) continue;
        r.lane = lane;
        if (r.duration == 0) r.duration = of_zero;
        if (!coverage.empty() &&
            coverage[r.node] != profile::Coverage::kCovered) {
          const bool made = coverage[r.node] == profile::Coverage::kMade;
          coverage[r.node] =
              made ? profile::Coverage::kNone : profile::Coverage::kCovered;
          result.covered += !made;
        }
        profile::DeviceId own = device_of_node[r.node];
        if (canonical && own == profile::kNone) {
          own = (*request.device_of_node)[r.node] = device;
          placed[r.node - nodes.begin] = true;
        } else if (canonical && own != device) {
          result.outside.push_back({{l, i},
                                    {graph.nodes.name[r.node], lane, r.start,
                                     r.duration, r.record}});
          r.lane = profile::kNone;
          continue;
        }
        const bool on_own = own != profile::kNone ? device == own : nameless;
        if (on_own) {
          if (!r.has_start() && request.wants_no_start) {
            result.no_start.push_back({l, i});
          }
        } else {
          r.requested_bytes = r.peak_bytes = 0;
          r.residual_bytes = r.output_bytes = 0;
        }
      }
    }
    for (profile::NodeId n = nodes.begin; n < nodes.end; ++n) {
      if (placed[n - nodes.begin]) result.placed.push_back(n);
    }
    return result;
  }

  void Sum(const profile::StepRecords& step,
           std::span<profile::GroupSums> sums) const override {
    const profile::GraphTables& graph = step.graph;
    std::vector<TimeKind> kind_of_lane(graph.lanes.size(), TimeKind::kNothing);
    for (profile::LaneId l = 0; l < graph.lanes.size(); ++l) {
      if (graph.lanes[l].device == profile::kNone) continue;
      kind_of_lane[l] = TimeKindOf(graph.devices[graph.lanes[l].device]);
    }
    util::ParallelFor(step.work, step.parts.size(), [&](size_t part) {
      const profile::NodeRange nodes = step.parts[part];
      for (const profile::LaneExecutions& batch : step.batches) {
        // Sums in microseconds add the whole microseconds of each execution.
        const int64_t shorter =
            std::max<int64_t>(1, batch.ticks_per_micro / graph.ticks_per_micro);
        const int64_t longer =
            std::max<int64_t>(1, graph.ticks_per_micro / batch.ticks_per_micro);
        for (const profile::ExecutionRecord& r : batch.records) {
          if (!nodes.Has(r.node) || !r.has_start()) continue;
          profile::GroupSums& group = sums[step.group_of_node[r.node]];
          group.AddSpan(r.start, std::max<int64_t>(
                                     0, util::WrapAdd(r.start, r.duration)));
          const int64_t ticks =
              Counted(util::SaturatingMul(
                          profile::FloorDiv(r.duration, shorter), longer),
                      graph.ticks_per_micro);
          switch (kind_of_lane[r.lane]) {
            case TimeKind::kAccelerator:
              AddTo(group.accelerator_time, ticks);
              break;
            case TimeKind::kCpu:
              AddTo(group.cpu_time, ticks);
              ++group.run_count;
              break;
            case TimeKind::kNothing:
              break;
          }
          AddTo(group.requested_bytes, r.requested_bytes);
          AddTo(group.peak_bytes, r.peak_bytes);
          AddTo(group.residual_bytes, r.residual_bytes);
          AddTo(group.output_bytes, r.output_bytes);
        }
      }
    });
  }
};

}  // namespace

const profile::AccountingRules& TfprofRules() {
  static const Rules rules;
  return rules;
}

}  // namespace tfprof::accounting
