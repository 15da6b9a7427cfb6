#include "inspect/device_labels.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "fmt/format.h"

namespace tfprof {
std::vector<std::string> DeviceLabels(const DeviceRoles& roles,
                                      std::span<const size_t> units) {
  const auto task_of = [&](size_t unit) -> const Process& {
    return roles.tasks()[roles.units()[unit].task];
  };
  std::set<std::string_view> tasks;
  for (const size_t u : units) {
    if (!task_of(u).name.empty()) tasks.insert(task_of(u).name);
  }
  std::vector<std::string> labels;
  for (const size_t u : units) {
    std::string label = roles.units()[u].label;
    if (tasks.size() > 1 && !task_of(u).name.empty()) {
      label = fmt::format("{} {}", task_of(u).label, label);
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
