#include "loaders/chrome_json/kineto/host/device_steps.h"

#include <cstddef>

#include "util/arithmetic.h"

namespace tfprof::kineto {

std::vector<loaders::StepTime> HostSteps(const KinetoSteps& steps) {
  std::vector<loaders::StepTime> times;
  for (const KinetoStep& step : steps.rows()) {
    times.push_back({.start = step.start, .end = step.end});
  }
  return times;
}

std::vector<loaders::StepTime> FindDeviceSteps(
    const KinetoEvents& events, const KinetoSteps& steps,
    std::span<const uint32_t> launch) {
  if (steps.empty() || steps.of_engine()) return {};
  std::vector<loaders::WorkLane> lanes;
  for (const DeviceLane& lane : events.device_lanes) {
    lanes.push_back({.device = lane.device,
                     .stream = lane.stream,
                     .computes = lane.kind == profile::LaneKind::kKernels});
  }
  std::vector<loaders::LaunchedWork> work;
  work.reserve(events.device.size());
  for (size_t d = 0; d < events.device.size(); ++d) {
    const DeviceEvent& event = events.device[d];
    loaders::LaunchedWork& run = work.emplace_back();
    run.start = event.start;
    run.end = util::SaturatingAdd(event.start, event.duration);
    run.lane = event.lane;
    if (launch[d] == profile::kNone) continue;
    const int64_t launched = events.host[launch[d]].start;
    const size_t row = steps.Around(launched, util::SaturatingAdd(launched, 1));
    if (row != KinetoSteps::kNowhere) run.step = static_cast<uint32_t>(row);
  }
  return loaders::FindDeviceSteps(HostSteps(steps), work, lanes);
}

}  // namespace tfprof::kineto
