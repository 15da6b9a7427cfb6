#include "loaders/chrome_json/kineto/host/device_steps.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "fmt/format.h"
#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof::kineto {
namespace {

// The start and the end of a step without work.
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::min();

// If this share of the work runs in the step that launched it, the steps of the
// host say when it ran. A host that reads a result in every second step has
// about half of it there.
constexpr double kInside = 0.7;

// For each lane, whether its work says when a step begins: lanes of the stream
// of each device with most of the time of kernels. Input, shards and results
// may be copied and gathered on other streams long before.
std::vector<bool> LeadingLanes(const KinetoEvents& events) {
  const std::vector<DeviceLane>& lanes = events.device_lanes;
  std::vector<int64_t> times(lanes.size());
  for (const DeviceEvent& event : events.device) {
    times[event.lane] = util::SaturatingAdd(times[event.lane], event.duration);
  }
  std::map<int64_t, size_t> most;  // by device
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (lanes[i].kind != profile::LaneKind::kKernels) continue;
    const auto [it, is_new] = most.try_emplace(lanes[i].device, i);
    if (times[i] > times[it->second]) it->second = i;
  }
  std::vector<bool> leads(lanes.size());
  for (size_t i = 0; i < lanes.size(); ++i) {
    const auto of = most.find(lanes[i].device);
    leads[i] = of != most.end() && lanes[i].stream == lanes[of->second].stream;
  }
  return leads;
}

}  // namespace

std::vector<DeviceStep> FindDeviceSteps(const KinetoEvents& events,
                                        const KinetoSteps& steps,
                                        std::span<const uint32_t> launch) {
  if (steps.empty() || steps.of_engine()) return {};
  std::vector<DeviceStep> found(steps.rows().size(),
                                {.start = kNever, .end = kNoEnd});
  const std::vector<bool> leads = LeadingLanes(events);
  int64_t all = 0, inside = 0;
  for (size_t d = 0; d < events.device.size(); ++d) {
    if (launch[d] == profile::kNone) continue;
    const int64_t launched = events.host[launch[d]].start;
    const size_t row = steps.Around(launched, util::SaturatingAdd(launched, 1));
    if (row == KinetoSteps::kNowhere) continue;
    const DeviceEvent& event = events.device[d];
    const int64_t end = util::SaturatingAdd(event.start, event.duration);
    // The first step has nothing before it from which it is to be told.
    if (row == 0 || leads[event.lane]) {
      found[row].start = std::min(found[row].start, event.start);
    }
    found[row].end = std::max(found[row].end, end);
    all = util::SaturatingAdd(all, event.duration);
    const KinetoStep& step = steps.rows()[row];
    inside = util::SaturatingAdd(
        inside,
        std::max<int64_t>(0, util::WrapSub(std::min(end, step.end),
                                           std::max(event.start, step.start))));
  }
  if (static_cast<double>(inside) >= kInside * static_cast<double>(all)) {
    return {};
  }
  // How long the work of a step goes on beside that of the next one.
  std::vector<int64_t> beside;
  for (size_t row = 0; row < found.size(); ++row) {
    DeviceStep& step = found[row];
    if (step.start == kNever) return {};
    if (row + 1 == found.size() || found[row + 1].start < step.start) continue;
    beside.push_back(
        std::max<int64_t>(0, util::WrapSub(step.end, found[row + 1].start)));
    step.end = found[row + 1].start;
  }
  if (beside.empty()) return found;
  DeviceStep& last = found.back();
  last.end = std::max(last.start,
                      util::WrapSub(last.end, util::Median(std::move(beside))));
  return found;
}

int64_t LongestDelay(const KinetoSteps& steps,
                     std::span<const DeviceStep> device_steps) {
  int64_t delay = 0;
  for (size_t row = 0; row < device_steps.size(); ++row) {
    delay = std::max(
        delay, util::WrapSub(device_steps[row].end, steps.rows()[row].end));
  }
  return delay;
}

std::string DeviceStepsText(int64_t delay) {
  constexpr double kNanosPerMilli = 1e6;
  return fmt::format(
      "the host does not wait for its devices, which end a step up to {:.3f} "
      "ms after it: each step is from its first work on a device to that of "
      "the next step",
      static_cast<double>(delay) / kNanosPerMilli);
}

}  // namespace tfprof::kineto
