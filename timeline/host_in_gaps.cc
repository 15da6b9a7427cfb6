#include "timeline/host_in_gaps.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "profile/profile.h"

namespace tfprof::timeline {
namespace {

using ThreadKey = std::pair<profile::ProcessId, int64_t>;
using Sums = absl::flat_hash_map<std::string_view, int64_t>;

constexpr std::string_view kPython = "python";

struct HostSpan {
  int64_t start = 0;
  int64_t end = 0;
  std::string_view name;
};

ThreadKey KeyOf(const profile::Lane& lane) {
  return {lane.process, lane.thread};
}

ThreadKey ThreadOf(const Activities& activities, const DeviceLaunch& launch) {
  const profile::Profile& profile = activities.profile();
  return KeyOf(
      profile.lanes()[profile.steps()[launch.step]->LaneOf(launch.record)]);
}

// Divides the gaps by thread: the one that launched the run after the gap, or
// else the one with the most launches.
std::map<ThreadKey, Intervals> GapsByThread(const Activities& activities,
                                            const DeviceActivity& device,
                                            const Intervals& gaps) {
  std::map<ThreadKey, int64_t> launches;
  for (const DeviceLaunch& launch : device.launches) {
    ++launches[ThreadOf(activities, launch)];
  }
  std::map<ThreadKey, Intervals> by_thread;
  if (launches.empty()) return by_thread;
  const ThreadKey usual = std::max_element(launches.begin(), launches.end(),
                                           [](const auto& a, const auto& b) {
                                             return a.second < b.second;
                                           })
                              ->first;
  auto run = device.runs.begin();
  for (const Interval& gap : gaps) {
    while (run != device.runs.end() && run->start < gap.end) ++run;
    const bool known =
        run != device.runs.end() && run->launch != profile::kNone;
    const ThreadKey thread =
        known ? ThreadOf(activities, device.launches[run->launch]) : usual;
    by_thread[thread].push_back(gap);
  }
  return by_thread;
}

// Returns the recorded executions of some processes by thread, outer executions
// first.
std::map<ThreadKey, std::vector<HostSpan>> SpansOf(
    const Activities& activities,
    const std::set<profile::ProcessId>& processes) {
  const profile::Profile& profile = activities.profile();
  const profile::LaneTable& lanes = profile.lanes();
  const profile::NodeTable& nodes = profile.nodes();
  std::map<ThreadKey, std::vector<HostSpan>> spans;
  const auto add = [&](const profile::Step& step, size_t e, profile::NodeId n) {
    const profile::LaneId lane = step.LaneOf(e);
    if (lane == profile::kNone) return;
    const uint32_t unit = activities.unit_of(lane);
    if (activities.units()[unit].accelerator) return;
    if (!processes.contains(lanes[lane].process) || !step.HasStart(e)) return;
    const Interval time = activities.TimeOf(step, e);
    if (time.length() <= 0 || activities.IsWholeStep(time)) return;
    std::string_view name;
    if (n == profile::kNone) {
      name = profile.strings().Get(step.OutsideName(e));
    } else {
      name = profile.strings().Get(nodes.op[n]);
      if (name == kPython) name = profile.strings().Get(nodes.name[n]);
    }
    spans[KeyOf(lanes[lane])].push_back({time.start, time.end, name});
  };
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const auto n = static_cast<profile::NodeId>(step->node[g]);
      for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
        add(*step, e, n);
      }
    }
    for (size_t e = step->num_executions(); e < step->num_records(); ++e) {
      add(*step, e, profile::kNone);
    }
  }
  for (auto& [thread, of_thread] : spans) {
    std::stable_sort(of_thread.begin(), of_thread.end(),
                     [](const HostSpan& a, const HostSpan& b) {
                       return std::tie(a.start, b.end) <
                              std::tie(b.start, a.end);
                     });
  }
  return spans;
}

// Adds the time of each span in the gaps, without nested spans. If spans
// overlap partly, the one that began last counts.
void AddInnermost(const std::vector<HostSpan>& spans, const Intervals& gaps,
                  Sums& sums) {
  const Overlap inside(gaps);
  std::vector<const HostSpan*> open;
  int64_t now = 0, covered = 0;
  const auto advance = [&](int64_t to) {
    while (now < to) {
      while (!open.empty() && open.back()->end <= now) open.pop_back();
      if (open.empty()) {
        now = to;
        return;
      }
      const int64_t end = std::min(to, open.back()->end);
      const int64_t time = inside.Length(now, end);
      if (time > 0) {
        sums[open.back()->name] += time;
        covered += time;
      }
      now = end;
    }
  };
  for (const HostSpan& span : spans) {
    advance(span.start);
    now = span.start;
    open.push_back(&span);
  }
  int64_t last = now;
  for (const HostSpan* span : open) last = std::max(last, span->end);
  advance(last);
  sums[""] += Length(gaps) - covered;
}

}  // namespace

std::vector<HostShare> HostInGaps(const Activities& activities,
                                  const DeviceActivity& device,
                                  const Intervals& gaps) {
  const std::map<ThreadKey, Intervals> by_thread =
      GapsByThread(activities, device, gaps);
  if (by_thread.empty()) return {};
  std::set<profile::ProcessId> processes;
  for (const auto& [thread, part] : by_thread) processes.insert(thread.first);
  const auto spans = SpansOf(activities, processes);
  Sums sums;
  for (const auto& [thread, part] : by_thread) {
    const auto found = spans.find(thread);
    if (found == spans.end()) {
      sums[""] += Length(part);
    } else {
      AddInnermost(found->second, part, sums);
    }
  }
  if (sums[""] > Length(gaps) / 2) {
    for (const auto& [thread, of_thread] : spans) {
      Sums other;
      AddInnermost(of_thread, gaps, other);
      if (other[""] < sums[""]) sums = std::move(other);
    }
  }
  std::vector<HostShare> shares;
  for (const auto& [name, time] : sums) {
    if (time > 0) shares.push_back({name, time});
  }
  std::sort(shares.begin(), shares.end(),
            [](const HostShare& a, const HostShare& b) {
              return std::tie(b.time, a.name) < std::tie(a.time, b.name);
            });
  return shares;
}

}  // namespace tfprof::timeline
