#include "loaders/gpu_trace/from_profile.h"

#include <map>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/numbers.h"
#include "fmt/format.h"
#include "profile/steps/step.h"

namespace tfprof::gpu_trace {
namespace {

class Collector {
 public:
  Collector(const profile::Profile& profile, profile::StringPool& strings)
      : profile_(profile), strings_(strings) {}

  std::vector<GpuTrace> Collect() {
    for (const auto& step : profile_.steps()) {
      step_ = step.get();
      size_t end = 0;
      for (size_t g = 0; g < step->num_groups(); ++g) {
        node_ = static_cast<profile::NodeId>(step->node[g]);
        end = step->exec_end(g);
        for (size_t e = step->exec_begin(g); e < end; ++e) {
          Add(e, profile_.nodes().op[node_]);
        }
      }
      for (size_t e = end; e < step->num_records(); ++e) {
        Add(e, step->OutsideName(e));
      }
    }
    SetLaunches();
    std::vector<GpuTrace> traces;
    for (auto& [process, trace] : traces_) {
      if (trace.work.empty()) continue;
      trace.label = profile_.lanes().process(process).label;
      if (trace.label.empty()) trace.label = fmt::format("process {}", process);
      traces.push_back(std::move(trace));
    }
    return traces;
  }

 private:
  struct Place {
    profile::ProcessId process = 0;
    uint32_t index = 0;
  };

  profile::StringId Intern(std::string_view text) {
    return strings_.Intern(text);
  }
  profile::StringId InternFrom(profile::StringId id) {
    const auto [it, is_new] = names_.try_emplace(id, profile::kNone);
    if (is_new) it->second = Intern(profile_.strings().Get(id));
    return it->second;
  }

  void Add(size_t e, profile::StringId name) {
    const profile::LaneId id = step_->LaneOf(e);
    if (id == profile::kNone || !step_->HasStart(e)) return;
    const profile::Lane& lane = profile_.lanes()[id];
    if (lane.repeats != profile::kNone || lane.physical == profile::kNone) {
      return;
    }
    const profile::PhysicalDevice& device =
        profile_.lanes().physical(lane.physical);
    if (device.kind != "cpu") {
      AddWork(e, name, lane, device);
    } else if (lane.thread >= 0 && step_->exec_duration.Nanos(e) > 0) {
      // A sample has no length.
      AddHost(e, name, lane);
    }
  }

  void AddHost(size_t e, profile::StringId name, const profile::Lane& lane) {
    GpuTrace& trace = traces_[lane.process];
    HostEvent event = {.start = step_->exec_start.Nanos(e),
                       .op = InternFrom(name),
                       .text = TextOf(e, name)};
    event.end = event.start + step_->exec_duration.Nanos(e);
    event.thread = trace.Thread(
        profile_.lanes().process(lane.process).process_id, lane.thread);
    event.kind = lane.kind == profile::LaneKind::kLaunches ? HostKind::kCall
                                                           : HostKind::kRange;
    host_[{step_->id, static_cast<uint32_t>(e)}] = {
        lane.process, static_cast<uint32_t>(trace.host.size())};
    trace.host.push_back(event);
  }

  void AddWork(size_t e, profile::StringId name, const profile::Lane& lane,
               const profile::PhysicalDevice& device) {
    if (lane.kind != profile::LaneKind::kKernels &&
        lane.kind != profile::LaneKind::kCopies &&
        lane.kind != profile::LaneKind::kCommunication) {
      return;
    }
    GpuTrace& trace = traces_[lane.process];
    const auto record = static_cast<profile::RecordRef>(step_->exec_record[e]);
    const profile::Transfer transfer = profile_.TransferOf(record);
    Work work = {
        .start = step_->exec_start.Nanos(e),
        .name = TextOf(e, name),
        .lane = trace.Lane({.device = DeviceOf(lane.physical, device, trace),
                            .process = -1,
                            .stream = lane.stream,
                            .kind = lane.kind}),
        .bytes = transfer.bytes,
        .copy = transfer.kind};
    work.end = work.start + step_->exec_duration.Nanos(e);
    work_[{step_->id, static_cast<uint32_t>(e)}] = {
        lane.process, static_cast<uint32_t>(trace.work.size())};
    trace.work.push_back(work);
  }

  // Returns the number in a label like "gpu:1".
  static int64_t DeviceOf(profile::PhysicalId id,
                          const profile::PhysicalDevice& device,
                          GpuTrace& trace) {
    const size_t colon = device.label.rfind(':');
    int64_t number = 0;
    if (colon == std::string::npos ||
        !absl::SimpleAtoi(device.label.substr(colon + 1), &number)) {
      number = id;
    }
    trace.labels.try_emplace(number, device.label);
    if (!device.model.empty()) trace.models.try_emplace(number, device.model);
    return number;
  }

  profile::StringId TextOf(size_t e, profile::StringId name) {
    const std::string_view text =
        profile_.Text(static_cast<profile::RecordRef>(step_->exec_record[e]))
            .name;
    return text.empty() ? InternFrom(name) : Intern(text);
  }

  void SetLaunches() {
    const profile::Links& links = profile_.links();
    for (size_t i = 0; i < links.size(); ++i) {
      const profile::Link link = links[i];
      if (link.kind != profile::LinkKind::kLaunch) continue;
      const auto from = host_.find(link.from);
      const auto to = work_.find(link.to);
      if (from == host_.end() || to == work_.end() ||
          from->second.process != to->second.process) {
        continue;
      }
      traces_[to->second.process].work[to->second.index].launch =
          from->second.index;
    }
  }

  const profile::Profile& profile_;
  profile::StringPool& strings_;
  const profile::Step* step_ = nullptr;
  profile::NodeId node_ = profile::kNone;
  std::map<profile::ProcessId, GpuTrace> traces_;
  absl::flat_hash_map<profile::StringId, profile::StringId> names_;
  std::map<profile::ExecutionRef, Place> host_, work_;
};

}  // namespace

std::vector<GpuTrace> FromProfile(const profile::Profile& profile,
                                  profile::StringPool& strings) {
  return Collector(profile, strings).Collect();
}

}  // namespace tfprof::gpu_trace
