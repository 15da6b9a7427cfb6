#include "inspect/device_labels.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "fmt/format.h"

namespace tfprof {
namespace {

// "gpu:0" of "…/device:gpu:0" and of "…/gpu:0".
std::string_view ShortDevice(std::string_view name) {
  name = name.substr(name.rfind('/') + 1);
  constexpr std::string_view kPrefix = "device:";
  if (name.starts_with(kPrefix)) name.remove_prefix(kPrefix.size());
  return name;
}

// "worker/1" of "/job:worker/replica:0/task:1".
std::string ShortTask(std::string_view name) {
  std::string_view job, task;
  while (!name.empty()) {
    const size_t end = std::min(name.find('/'), name.size());
    const std::string_view part = name.substr(0, end);
    if (part.starts_with("job:")) job = part.substr(4);
    if (part.starts_with("task:")) task = part.substr(5);
    name.remove_prefix(std::min(end + 1, name.size()));
  }
  return fmt::format("{}/{}", job, task);
}

}  // namespace

std::vector<std::string> DeviceLabels(const DeviceRoles& roles,
                                      std::span<const size_t> units) {
  const auto task_of = [&](size_t unit) -> const std::string& {
    return roles.tasks()[roles.units()[unit].task];
  };
  std::set<std::string_view> tasks;
  for (const size_t u : units) {
    if (!task_of(u).empty()) tasks.insert(task_of(u));
  }
  std::vector<std::string> labels;
  for (const size_t u : units) {
    std::string label(ShortDevice(roles.units()[u].name));
    if (tasks.size() > 1 && !task_of(u).empty()) {
      label = fmt::format("{} {}", ShortTask(task_of(u)), label);
    }
    labels.push_back(std::move(label));
  }
  // Two that look alike keep their names in full.
  const std::multiset<std::string> all(labels.begin(), labels.end());
  for (size_t i = 0; i < labels.size(); ++i) {
    if (all.count(labels[i]) > 1) labels[i] = roles.units()[units[i]].name;
  }
  return labels;
}

}  // namespace tfprof
