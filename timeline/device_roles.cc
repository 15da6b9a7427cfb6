#include "timeline/device_roles.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "loaders/tensorflow/device_names.h"

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

}  // namespace

DeviceRoles::DeviceRoles(const GraphTables& graph) {
  const DeviceTable& devices = graph.devices;
  absl::flat_hash_map<std::string_view, uint32_t> task_ids;
  absl::flat_hash_map<std::pair<std::string_view, std::string_view>, uint32_t>
      unit_ids;
  const auto task_id = [&](std::string_view task) {
    const auto [it, is_new] =
        task_ids.try_emplace(task, static_cast<uint32_t>(tasks_.size()));
    if (is_new) tasks_.emplace_back(task);
    return it->second;
  };
  std::vector<bool> scheduled;  // by unit: its host writes records for it
  std::vector<std::string_view> local;
  for (DeviceId id = 0; id < devices.size(); ++id) {
    const DeviceNameParts parts = SplitDeviceName(devices.name(id));
    const LaneId lane = graph.lanes.OfDevice(id);
    roles_.push_back(lane == kNone ? Role::kNothing
                                   : RoleOf(graph.lanes[lane], devices[id]));
    const auto [it, is_new] =
        unit_ids.try_emplace(std::pair(parts.task, parts.local),
                             static_cast<uint32_t>(units_.size()));
    if (is_new) {
      units_.push_back({std::string(parts.base), task_id(parts.task), false});
      scheduled.push_back(false);
      local.push_back(parts.local);
    }
    unit_of_.push_back(it->second);
    units_[it->second].accelerator |=
        !parts.pseudo.empty() || roles_[id] == Role::kLaunches;
    if (parts.pseudo.empty()) {
      units_[it->second].name = parts.base;
      scheduled[it->second] = true;
    }
  }

  // Streams without a task.
  const auto no_task = task_ids.find("");
  if (no_task == task_ids.end()) return;
  constexpr uint32_t kSeveral = kNone - 1;
  absl::flat_hash_map<std::string_view, uint32_t> owner;  // by local name
  for (uint32_t u = 0; u < units_.size(); ++u) {
    if (!scheduled[u] || units_[u].task == no_task->second) continue;
    const auto [it, is_new] = owner.try_emplace(local[u], u);
    if (!is_new) it->second = kSeveral;
  }
  std::vector<uint32_t> moved(units_.size());
  for (uint32_t u = 0; u < units_.size(); ++u) {
    moved[u] = u;
    if (scheduled[u] || units_[u].task != no_task->second) continue;
    if (const auto it = owner.find(local[u]); it != owner.end()) {
      if (it->second == kSeveral) continue;
      moved[u] = it->second;
      units_[it->second].accelerator = true;
    } else if (tasks_.size() == 2) {
      units_[u].task = 1 - no_task->second;
    }
  }
  for (uint32_t& u : unit_of_) u = moved[u];
}

}  // namespace tfprof
