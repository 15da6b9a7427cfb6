#include "timeline/ranks/same_steps.h"

#include <map>
#include <set>

namespace tfprof::timeline {
namespace {

// Returns the processes that compute in a step.
std::set<profile::ProcessId> ProcessesOf(const profile::Profile& profile,
                                         const profile::Step& step) {
  const profile::StepIntervals& intervals = profile.step_intervals();
  std::set<profile::ProcessId> processes;
  const auto [begin, end] = intervals.RowsOf(step.id);
  for (size_t row = begin; row < end; ++row) {
    const profile::ProcessId process = intervals[row].process;
    if (!profile.lanes().process(process).parameter_server) {
      processes.insert(process);
    }
  }
  return processes;
}

}  // namespace

std::string StepName(const profile::Profile& profile,
                     const profile::Step& step) {
  const profile::StepIntervals& intervals = profile.step_intervals();
  const auto [begin, end] = intervals.RowsOf(step.id);
  if (begin == end || intervals[begin].name == profile::kNone) return "";
  return std::string(profile.strings().Get(intervals[begin].name));
}

std::vector<std::vector<size_t>> GroupSameSteps(
    const profile::Profile& profile, const std::vector<size_t>& steps) {
  struct Named {
    std::vector<size_t> places;
    std::set<profile::ProcessId> processes;
    bool disjoint = true;
  };
  std::map<std::string, Named> named;
  std::vector<std::string> names;
  for (const size_t place : steps) {
    const profile::Step& step = *profile.steps()[place];
    names.push_back(StepName(profile, step));
    if (names.back().empty()) continue;
    Named& all = named[names.back()];
    all.places.push_back(place);
    const std::set<profile::ProcessId> processes = ProcessesOf(profile, step);
    all.disjoint &= !processes.empty();
    for (const profile::ProcessId process : processes) {
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

}  // namespace tfprof::timeline
