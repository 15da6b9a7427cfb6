#include "timeline/device_metrics.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof::timeline {
namespace {

// Returns the time in which some run was launched but had not begun.
Intervals Outstanding(const DeviceActivity& device) {
  Intervals waits;
  for (const DeviceRun& run : device.runs) {
    if (run.launch == profile::kNone) continue;
    const int64_t launched = device.launches[run.launch].start;
    if (launched < run.start) waits.push_back({launched, run.start});
  }
  std::sort(
      waits.begin(), waits.end(),
      [](const Interval& a, const Interval& b) { return a.start < b.start; });
  Intervals all;
  for (const Interval& wait : waits) AddInterval(all, wait.start, wait.end);
  return all;
}

}  // namespace

IdleTime IdleTimeOf(const DeviceActivity& device) {
  IdleTime idle;
  idle.all = Subtract(device.window, device.busy);
  const Intervals outstanding = Outstanding(device);
  idle.waiting = Intersect(idle.all, outstanding);
  // Gaps end where a run begins; both are in ascending order.
  Intervals known;
  auto run = device.runs.begin();
  for (const Interval& gap : idle.all) {
    while (run != device.runs.end() && run->start < gap.end) ++run;
    bool launched = false;
    for (; run != device.runs.end() && run->start == gap.end; ++run) {
      launched |= run->launch != profile::kNone;
    }
    if (launched) known.push_back(gap);
  }
  const Intervals free = Subtract(idle.all, outstanding);
  const Intervals late =
      device.launching.empty() ? known : Union(known, device.launching);
  idle.host_bound = Intersect(free, late);
  idle.other = Subtract(free, late);
  return idle;
}

QueueLength QueueLengthOf(const DeviceActivity& device) {
  QueueLength queue;
  std::vector<std::pair<int64_t, int>> changes;
  double in_queue = 0;
  for (const DeviceRun& run : device.runs) {
    if (run.launch == profile::kNone) continue;
    const int64_t from = std::min(device.launches[run.launch].start, run.start);
    changes.push_back({from, +1});
    changes.push_back({run.end, -1});
    in_queue +=
        static_cast<double>(run.end - std::max(from, device.span.start));
  }
  // If a run ends when another one is launched, the end comes first.
  std::sort(changes.begin(), changes.end());
  int64_t length = 0;
  for (const auto& [at, change] : changes) {
    length += change;
    queue.max = std::max(queue.max, length);
  }
  const int64_t span = device.span.length();
  queue.mean = span > 0 ? in_queue / static_cast<double>(span) : 0;
  return queue;
}

LaunchLatency LaunchLatencyOf(const DeviceActivity& device) {
  std::vector<int64_t> latencies;
  for (const DeviceLaunch& launch : device.launches) {
    const int64_t latency =
        util::WrapSub(device.runs[launch.first_run].start, launch.start);
    if (latency >= 0) latencies.push_back(latency);
  }
  LaunchLatency result;
  result.launches = static_cast<int64_t>(device.launches.size());
  if (latencies.empty()) return result;
  const auto [min, max] =
      std::minmax_element(latencies.begin(), latencies.end());
  result.min = *min;
  result.max = *max;
  result.median = util::Median(std::move(latencies));
  return result;
}

Unlaunched UnlaunchedOf(const DeviceActivity& device) {
  Unlaunched sums;
  for (const DeviceRun& run : device.runs) {
    if (run.launch != profile::kNone) continue;
    ++sums.runs;
    sums.time = util::WrapAdd(sums.time, run.length());
  }
  return sums;
}

}  // namespace tfprof::timeline
