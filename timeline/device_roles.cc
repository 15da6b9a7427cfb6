#include "timeline/device_roles.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace tfprof {
namespace {

using Role = DeviceRoles::Role;

// A name in its parts: "/job:w/task:0" "gpu:0" "stream:all".
struct Parts {
  std::string_view base;   // without the pseudo device
  std::string_view task;   // before the last '/'
  std::string_view local;  // after it, without "device:"
  std::string_view pseudo;
};

Parts Split(std::string_view name) {
  Parts parts;
  size_t at = name.npos;
  for (const std::string_view pseudo :
       {"/stream:", ":stream:", "/memcpy", ":memcpy", "/sync"}) {
    at = std::min(at, name.find(pseudo));
  }
  parts.base = name.substr(0, at);
  if (at != name.npos) parts.pseudo = name.substr(at + 1);
  parts.local = parts.base;
  if (const size_t slash = parts.base.rfind('/'); slash != name.npos) {
    parts.task = parts.base.substr(0, slash);
    parts.local = parts.base.substr(slash + 1);
  }
  constexpr std::string_view kDevice = "device:";
  if (parts.local.substr(0, kDevice.size()) == kDevice) {
    parts.local.remove_prefix(kDevice.size());
  }
  return parts;
}

Role RoleOf(const Parts& parts, const Device& device) {
  if (parts.pseudo.empty()) {
    if (!device.canonical) return Role::kOther;
    return device.on_gpu ? Role::kLaunches : Role::kHostOps;
  }
  if (parts.pseudo.substr(0, 6) == "memcpy") return Role::kCopies;
  constexpr std::string_view kStream = "stream:";
  if (parts.pseudo.substr(0, kStream.size()) != kStream) return Role::kNothing;
  const std::string_view stream = parts.pseudo.substr(kStream.size());
  if (stream == "all") return Role::kKernels;
  const size_t kind = stream.find('<');
  if (kind == 0 || stream.empty()) return Role::kNothing;
  if (kind == stream.npos) return Role::kStreamKernels;
  return stream.substr(kind + 1, 6) == "memcpy" ? Role::kStreamCopies
                                                : Role::kNothing;
}

}  // namespace

DeviceRoles::DeviceRoles(const DeviceTable& devices) {
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
    const Parts parts = Split(devices.name(id));
    roles_.push_back(RoleOf(parts, devices[id]));
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
