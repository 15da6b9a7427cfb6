#include "advisor/checkers/program/device_bound.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "timeline/account/work_classes.h"
#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof::advisor {
namespace {

// The time in which a thread of the host waits for something.
timeline::Intervals HostWaits(const DeviceCheck& check) {
  const profile::Profile& profile = check.profile();
  std::map<profile::StringId, bool> waits;
  timeline::UnionOfMany all;
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups() && step->num_executions() > 0;
         ++g) {
      const profile::StringId op =
          profile.nodes().op[static_cast<profile::NodeId>(step->node[g])];
      const auto [it, is_new] = waits.try_emplace(op, false);
      if (is_new) it->second = timeline::IsWait(profile.strings().Get(op));
      for (size_t e = step->exec_begin(g); it->second && e < step->exec_end(g);
           ++e) {
        if (step->HasStart(e)) all.Add({check.activities.TimeOf(*step, e)});
      }
    }
  }
  return std::move(all).Take();
}

// The work of a device for which the host waits: that between two moments in
// which the device had nothing to do, if the host waits at its end. A host that
// does not wait then would not launch the next work earlier.
int64_t WaitedFor(const timeline::DeviceActivity& device,
                  timeline::Overlap& waits) {
  int64_t all = 0, since = 0, end = 0;
  for (size_t i = 0; i < device.runs.size(); ++i) {
    const timeline::DeviceRun& run = device.runs[i];
    const int64_t start = i == 0 ? run.start : std::max(run.start, end);
    if (run.end > start) {
      since = util::SaturatingAdd(since, util::WrapSub(run.end, start));
    }
    end = i == 0 ? run.end : std::max(end, run.end);
    if (i + 1 < device.runs.size()) {
      const timeline::DeviceRun& next = device.runs[i + 1];
      const bool ahead =
          next.start <= end || (next.launch != profile::kNone &&
                                device.launches[next.launch].start < end);
      if (ahead) continue;
    }
    if (waits.Length(util::WrapSub(end, 1), end) > 0) {
      all = util::SaturatingAdd(all, since);
    }
    since = 0;
  }
  return all;
}

}  // namespace

void LowerIfIdle(const DeviceCheck& check, Finding& f) {
  int64_t busy = 0, wall = 0, waited = 0;
  std::vector<const timeline::DeviceActivity*> used;
  for (const timeline::DeviceActivity& device : check.activity->devices) {
    if (!device.accelerator || device.runs.empty()) continue;
    busy = util::SaturatingAdd(busy, timeline::Length(device.busy));
    wall = util::SaturatingAdd(wall, check.Wall(device));
    used.push_back(&device);
  }
  if (busy >= wall / 2) return;
  const timeline::Intervals waits = HostWaits(check);
  timeline::Overlap in_waits(waits);
  for (const timeline::DeviceActivity* device : used) {
    waited = util::SaturatingAdd(waited, WaitedFor(*device, in_waits));
  }
  if (waited >= busy / 2) return;
  const double share = static_cast<double>(busy) / static_cast<double>(wall);
  f.severity = Finding::Severity::kInfo;
  f.saving_micros =
      util::ToInteger(static_cast<double>(f.saving_micros) * share);
  f.text += fmt::format(
      "; the accelerator is idle for {:.1f}% of the time, so this saves little "
      "as long as it waits for something else",
      100 * (1 - share));
}

}  // namespace tfprof::advisor
