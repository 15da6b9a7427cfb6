#include "timeline/device_roles.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "profile/lanes.h"

namespace tfprof {
namespace {

using Role = DeviceRoles::Role;

Role RoleOf(const Lane& lane, const Device& device) {
  switch (lane.kind) {
    case LaneKind::kLaunches:
      return Role::kLaunches;
    case LaneKind::kCompute:
      return device.canonical ? Role::kHostOps : Role::kOther;
    case LaneKind::kKernels:
      return lane.is_one_stream() ? Role::kStreamKernels : Role::kKernels;
    case LaneKind::kCopies:
      return lane.is_one_stream() ? Role::kStreamCopies : Role::kCopies;
    default:
      return Role::kNothing;
  }
}

bool IsOfAccelerator(LaneKind kind) {
  return kind == LaneKind::kLaunches || kind == LaneKind::kKernels ||
         kind == LaneKind::kCopies;
}

// Nothing is known of it: the recorder did not say which process it is.
bool IsUnknown(const Process& process) {
  return process.name.empty() && process.rank < 0 && process.process_id < 0;
}

}  // namespace

DeviceRoles::DeviceRoles(const GraphTables& graph) {
  const DeviceTable& devices = graph.devices;
  const LaneTable& lanes = graph.lanes;
  absl::flat_hash_map<ProcessId, uint32_t> task_ids;
  const auto task_id = [&](ProcessId process) {
    const auto [it, is_new] =
        task_ids.try_emplace(process, static_cast<uint32_t>(tasks_.size()));
    if (is_new) {
      tasks_.push_back(process == kNone ? Process() : lanes.process(process));
    }
    return it->second;
  };
  std::vector<uint32_t> unit_of_physical(lanes.num_physical(), kNone);
  std::vector<bool> scheduled;  // by unit: its host writes records for it
  for (DeviceId id = 0; id < devices.size(); ++id) {
    const LaneId lane_id = lanes.OfDevice(id);
    const Lane lane = lane_id == kNone ? Lane() : lanes[lane_id];
    roles_.push_back(lane_id == kNone ? Role::kNothing
                                      : RoleOf(lane, devices[id]));
    uint32_t unit =
        lane.physical == kNone ? kNone : unit_of_physical[lane.physical];
    if (unit == kNone) {
      unit = static_cast<uint32_t>(units_.size());
      if (lane.physical == kNone) {
        const std::string name(devices.name(id));
        units_.push_back({name, name, task_id(lane.process)});
      } else {
        const PhysicalDevice& physical = lanes.physical(lane.physical);
        units_.push_back(
            {physical.name, physical.label, task_id(physical.process)});
        unit_of_physical[lane.physical] = unit;
      }
      scheduled.push_back(false);
    }
    unit_of_.push_back(unit);
    units_[unit].accelerator |= IsOfAccelerator(lane.kind);
    units_[unit].on_gpu |= devices[id].on_gpu;
    units_[unit].on_cpu |= devices[id].on_cpu;
    if (lane.kind == LaneKind::kCompute || lane.kind == LaneKind::kLaunches) {
      units_[unit].name = devices.name(id);
      scheduled[unit] = true;
    }
  }

  // Streams without a task.
  const auto no_task = static_cast<uint32_t>(
      std::find_if(tasks_.begin(), tasks_.end(), IsUnknown) - tasks_.begin());
  if (no_task == tasks_.size()) return;
  constexpr uint32_t kSeveral = kNone - 1;
  absl::flat_hash_map<std::string_view, uint32_t> owner;  // by local name
  for (uint32_t u = 0; u < units_.size(); ++u) {
    if (!scheduled[u] || units_[u].task == no_task) continue;
    const auto [it, is_new] = owner.try_emplace(units_[u].label, u);
    if (!is_new) it->second = kSeveral;
  }
  std::vector<uint32_t> moved(units_.size());
  for (uint32_t u = 0; u < units_.size(); ++u) {
    moved[u] = u;
    if (scheduled[u] || units_[u].task != no_task) continue;
    if (const auto it = owner.find(units_[u].label); it != owner.end()) {
      if (it->second == kSeveral) continue;
      moved[u] = it->second;
      units_[it->second].accelerator = true;
    } else if (tasks_.size() == 2) {
      units_[u].task = 1 - no_task;
    }
  }
  for (uint32_t& u : unit_of_) u = moved[u];
}

}  // namespace tfprof
