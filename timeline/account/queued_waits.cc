#include "timeline/account/queued_waits.h"

#include <algorithm>

#include "fmt/format.h"
#include "timeline/first_near.h"

namespace tfprof::timeline {

bool IsHostFunction(std::string_view name) {
  constexpr std::string_view kCalls[] = {
      "cudaLaunchHostFunc",    "cuLaunchHostFunc",    "hipLaunchHostFunc",
      "cudaStreamAddCallback", "cuStreamAddCallback", "hipStreamAddCallback"};
  return std::ranges::any_of(
      kCalls, [name](std::string_view call) { return name.starts_with(call); });
}

bool NamesWhatIsWaitedFor(std::string_view detail) {
  return IsHostFunction(detail) || detail.ends_with(kOfSameProcess);
}

HostFunctions::HostFunctions(const Activities& activities) {
  const profile::Profile& profile = activities.profile();
  // Few names are looked at, and few executions have one of them.
  std::vector<bool> is_call(profile.strings().size());
  bool any = false;
  for (profile::StringId id = 0; id < is_call.size(); ++id) {
    is_call[id] = IsHostFunction(profile.strings().Get(id));
    any |= is_call[id];
  }
  if (!any) return;
  const auto add = [&](const profile::Step& step, size_t e,
                       profile::StringId name) {
    const profile::LaneId lane = step.LaneOf(e);
    if (lane == profile::kNone || !step.HasStart(e)) return;
    calls_[profile.lanes()[lane].process].push_back(
        {activities.TimeOf(step, e).start, profile.strings().Get(name)});
  };
  for (const auto& step : profile.steps()) {
    for (size_t g = 0; g < step->num_groups(); ++g) {
      const profile::StringId op =
          profile.nodes().op[static_cast<profile::NodeId>(step->node[g])];
      if (!is_call[op] || step->num_executions() == 0) continue;
      for (size_t e = step->exec_begin(g); e < step->exec_end(g); ++e) {
        add(*step, e, op);
      }
    }
    for (size_t e = step->num_executions(); e < step->num_records(); ++e) {
      const profile::StringId name = step->OutsideName(e);
      if (is_call[name]) add(*step, e, name);
    }
  }
  for (auto& [process, calls] : calls_) {
    std::ranges::stable_sort(calls, {}, &Call::start);
  }
}

std::span<const HostFunctions::Call> HostFunctions::OfProcess(
    profile::ProcessId process) const {
  const auto found = calls_.find(process);
  if (found == calls_.end()) return {};
  return found->second;
}

QueuedWaits::QueuedWaits(const Activities& activities,
                         const DeviceActivity& device,
                         std::span<const DeviceActivity* const> all,
                         const HostFunctions& functions)
    : device_(device),
      functions_(functions.OfProcess(activities.units()[device.unit].process)) {
  // Each device asks all others: of more, none is named.
  constexpr size_t kMostDevices = 64;
  if (all.size() > kMostDevices) return;
  for (const DeviceActivity* of : all) {
    if (of == &device) continue;
    const LaneUnit& other = activities.units()[of->unit];
    others_.push_back(
        {fmt::format("{}{}", other.label, kOfSameProcess), of->busy});
  }
}

std::string_view QueuedWaits::Of(const Interval& time, size_t run) {
  // A function that was launched between a run and the one before it runs
  // between them.
  const auto launch_of = [&](size_t r) {
    const uint32_t launch = device_.runs[r].launch;
    return launch == profile::kNone ? nullptr : &device_.launches[launch];
  };
  const DeviceLaunch* const launch = launch_of(run);
  const DeviceLaunch* const before = run == 0 ? nullptr : launch_of(run - 1);
  if (launch != nullptr && before != nullptr) {
    const auto call = std::ranges::lower_bound(functions_, before->start, {},
                                               &HostFunctions::Call::start);
    if (call != functions_.end() && call->start < launch->start) {
      return call->name;
    }
  }
  return OtherDevice(time);
}

std::string_view QueuedWaits::OtherDevice(const Interval& time) {
  std::string_view name;
  int64_t most = time.length() / 2;
  for (Other& other : others_) {
    other.near = FirstNear(other.busy, other.near, [&](const Interval& of) {
      return of.end <= time.start;
    });
    int64_t busy = 0;
    for (size_t i = other.near;
         i < other.busy.size() && other.busy[i].start < time.end; ++i) {
      busy += std::min(time.end, other.busy[i].end) -
              std::max(time.start, other.busy[i].start);
    }
    if (busy <= most) continue;
    most = busy;
    name = other.name;
  }
  return name;
}

}  // namespace tfprof::timeline
