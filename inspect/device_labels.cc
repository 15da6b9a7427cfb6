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

std::vector<std::string> DeviceLabels(const DeviceRoles& roles) {
  std::set<uint32_t> tasks;
  for (const DeviceRoles::Unit& unit : roles.units()) {
    if (!roles.tasks()[unit.task].empty()) tasks.insert(unit.task);
  }
  std::vector<std::string> labels;
  for (const DeviceRoles::Unit& unit : roles.units()) {
    const std::string& task = roles.tasks()[unit.task];
    std::string label(ShortDevice(unit.name));
    if (tasks.size() > 1 && !task.empty()) {
      label = fmt::format("{} {}", ShortTask(task), label);
    }
    labels.push_back(std::move(label));
  }
  // Two that look alike keep their names in full.
  std::multiset<std::string> all(labels.begin(), labels.end());
  for (size_t i = 0; i < labels.size(); ++i) {
    if (all.count(labels[i]) > 1) labels[i] = roles.units()[i].name;
  }
  return labels;
}

}  // namespace tfprof
