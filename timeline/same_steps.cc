#include "timeline/same_steps.h"

#include <map>
#include <set>

namespace tfprof {
namespace {

// Returns the processes that compute in a step.
std::set<ProcessId> ProcessesOf(const Profile& profile, const Step& step) {
  const StepIntervals& intervals = profile.step_intervals();
  std::set<ProcessId> processes;
  const auto [begin, end] = intervals.RowsOf(step.id);
  for (size_t row = begin; row < end; ++row) {
    const ProcessId process = intervals[row].process;
    if (!profile.lanes().process(process).parameter_server) {
      processes.insert(process);
    }
  }
  return processes;
}

}  // namespace

std::string StepName(const Profile& profile, const Step& step) {
  const StepIntervals& intervals = profile.step_intervals();
  const auto [begin, end] = intervals.RowsOf(step.id);
  if (begin == end || intervals[begin].name == kNone) return "";
  return std::string(profile.strings().Get(intervals[begin].name));
}

std::vector<std::vector<size_t>> GroupSameSteps(
    const Profile& profile, const std::vector<size_t>& steps) {
  struct Named {
    std::vector<size_t> places;
    std::set<ProcessId> processes;
    bool disjoint = true;
  };
  std::map<std::string, Named> named;
  std::vector<std::string> names;
  for (const size_t place : steps) {
    const Step& step = *profile.steps()[place];
    names.push_back(StepName(profile, step));
    if (names.back().empty()) continue;
    Named& all = named[names.back()];
    all.places.push_back(place);
    const std::set<ProcessId> processes = ProcessesOf(profile, step);
    all.disjoint &= !processes.empty();
    for (const ProcessId process : processes) {
      all.disjoint &= all.processes.insert(process).second;
    }
  }
  std::vector<std::vector<size_t>> groups;
  for (size_t i = 0; i < steps.size(); ++i) {
    const auto it = named.find(names[i]);
    if (it == named.end() || !it->second.disjoint) {
      groups.push_back({steps[i]});
    } else if (it->second.places.front() == steps[i]) {
      groups.push_back(it->second.places);
    }
  }
  return groups;
}

}  // namespace tfprof
