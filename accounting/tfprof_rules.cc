#include "accounting/tfprof_rules.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "util/arithmetic.h"
#include "util/run/threads.h"

namespace tfprof {
namespace {

void AddTo(int64_t& sum, int64_t value) { sum = WrapAdd(sum, value); }

// The kind of time that a lane counts as.
enum class TimeKind : uint8_t { kNothing, kAccelerator, kCpu };

int64_t Counted(int64_t ticks, int64_t ticks_per_micro) {
  return ticks != 0 ? ticks : ticks_per_micro;
}

class Rules : public AccountingRules {
 public:
  bool MakesNode(std::string_view name) const override {
    return name != "RecvTensor" && name != "_SOURCE" &&
           name.find("MEMCPY") == name.npos;
  }

  int64_t CountedTicks(int64_t ticks, int64_t ticks_per_micro) const override {
    return Counted(ticks, ticks_per_micro);
  }

  bool PlacesNodes(const GraphTables& graph,
                   std::span<const LaneExecutions> batch) const override {
    for (const LaneExecutions& e : batch) {
      if (!graph.devices[graph.lanes[e.lane].device].canonical) continue;
      for (const ExecutionRecord& r : e.records) {
        if (graph.nodes.device[r.node] == kNone) return true;
      }
    }
    return false;
  }

  Admission Admit(const AdmissionRequest& request) const override {
    const GraphTables& graph = request.graph;
    const std::vector<DeviceId>& device_of_node = graph.nodes.device;
    const NodeRange nodes = request.nodes;
    const std::span<Coverage> coverage = request.coverage;
    Admission result;
    std::vector<bool> placed(nodes.end - nodes.begin, false);
    for (size_t l = 0; l < request.batch.size(); ++l) {
      LaneExecutions& executions = request.batch[l];
      const LaneId lane = executions.lane;
      const DeviceId device = graph.lanes[lane].device;
      const bool canonical = graph.devices[device].canonical;
      // In the reference, the device of a node without a device is named "".
      const bool nameless = graph.devices.name(device).empty();
      const int64_t of_zero = Counted(0, executions.ticks_per_micro);
      std::vector<ExecutionRecord>& records = executions.records;
      for (size_t i = 0; i < records.size(); ++i) {
        ExecutionRecord& r = records[i];
        if (!nodes.Has(r.node)) continue;
        r.lane = lane;
        if (r.duration == 0) r.duration = of_zero;
        if (!coverage.empty() && coverage[r.node] != Coverage::kCovered) {
          const bool made = coverage[r.node] == Coverage::kMade;
          coverage[r.node] = made ? Coverage::kNone : Coverage::kCovered;
          result.covered += !made;
        }
        DeviceId own = device_of_node[r.node];
        if (canonical && own == kNone) {
          own = (*request.device_of_node)[r.node] = device;
          placed[r.node - nodes.begin] = true;
        } else if (canonical && own != device) {
          result.outside.push_back({{l, i},
                                    {graph.nodes.name[r.node], lane, r.start,
                                     r.duration, r.record}});
          r.lane = kNone;
          continue;
        }
        const bool on_own = own != kNone ? device == own : nameless;
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
    for (NodeId n = nodes.begin; n < nodes.end; ++n) {
      if (placed[n - nodes.begin]) result.placed.push_back(n);
    }
    return result;
  }

  void Sum(const StepRecords& step, std::span<GroupSums> sums) const override {
    const GraphTables& graph = step.graph;
    std::vector<TimeKind> kind_of_lane(graph.lanes.size(), TimeKind::kNothing);
    for (LaneId l = 0; l < graph.lanes.size(); ++l) {
      if (graph.lanes[l].device == kNone) continue;
      const Device& device = graph.devices[graph.lanes[l].device];
      if (device.accelerator_stream) {
        kind_of_lane[l] = TimeKind::kAccelerator;
      } else if (device.canonical) {
        kind_of_lane[l] = TimeKind::kCpu;
      }
    }
    ParallelFor(step.work, step.parts.size(), [&](size_t part) {
      const NodeRange nodes = step.parts[part];
      for (const LaneExecutions& batch : step.batches) {
        // Sums in microseconds add the whole microseconds of each execution.
        const int64_t shorter =
            std::max<int64_t>(1, batch.ticks_per_micro / graph.ticks_per_micro);
        const int64_t longer =
            std::max<int64_t>(1, graph.ticks_per_micro / batch.ticks_per_micro);
        for (const ExecutionRecord& r : batch.records) {
          if (!nodes.Has(r.node) || !r.has_start()) continue;
          GroupSums& group = sums[step.group_of_node[r.node]];
          group.AddSpan(r.start,
                        std::max<int64_t>(0, WrapAdd(r.start, r.duration)));
          const int64_t ticks =
              Counted(SaturatingMul(FloorDiv(r.duration, shorter), longer),
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

const AccountingRules& TfprofRules() {
  static const Rules rules;
  return rules;
}

}  // namespace tfprof
