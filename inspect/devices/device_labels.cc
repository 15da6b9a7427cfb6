#include "inspect/devices/device_labels.h"

#include <set>
#include <string_view>

#include "fmt/format.h"

namespace tfprof::inspect {

std::vector<std::string> DeviceLabels(const timeline::Activities& activities,
                                      std::span<const uint32_t> units) {
  const profile::LaneTable& lanes = activities.profile().lanes();
  // The name of a process is part of the label only if it is known.
  const auto process_of = [&](uint32_t unit) -> const profile::Process* {
    const profile::ProcessId id = activities.units()[unit].process;
    if (id == profile::kNone || lanes.process(id).name.empty()) return nullptr;
    return &lanes.process(id);
  };
  std::set<std::string_view> processes;
  for (const uint32_t u : units) {
    if (const profile::Process* process = process_of(u))
      processes.insert(process->name);
  }
  std::vector<std::string> labels;
  for (const uint32_t u : units) {
    const timeline::LaneUnit& unit = activities.units()[u];
    const profile::Process* process = process_of(u);
    labels.push_back(!unit.name.starts_with('/') ? unit.name
                     : processes.size() > 1 && process != nullptr
                         ? fmt::format("{} {}", process->label, unit.label)
                         : unit.label);
  }
  // Labels that are equal become full names.
  const std::multiset<std::string> all(labels.begin(), labels.end());
  for (size_t i = 0; i < labels.size(); ++i) {
    if (all.count(labels[i]) > 1) {
      labels[i] = activities.units()[units[i]].name;
    }
  }
  return labels;
}

}  // namespace tfprof::inspect
