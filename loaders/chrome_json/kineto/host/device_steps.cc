#include "loaders/chrome_json/kineto/host/device_steps.h"

#include <algorithm>
#include <cstddef>
#include <limits>
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

}  // namespace

std::vector<DeviceStep> FindDeviceSteps(const KinetoEvents& events,
                                        const KinetoSteps& steps,
                                        std::span<const uint32_t> launch) {
  if (steps.empty() || steps.of_engine()) return {};
  std::vector<DeviceStep> found(steps.rows().size(),
                                {.start = kNever, .end = kNoEnd});
  int64_t all = 0, inside = 0;
  for (size_t d = 0; d < events.device.size(); ++d) {
    if (launch[d] == profile::kNone) continue;
    const int64_t launched = events.host[launch[d]].start;
    const size_t row = steps.Around(launched, util::SaturatingAdd(launched, 1));
    if (row == KinetoSteps::kNowhere) continue;
    const DeviceEvent& event = events.device[d];
    const int64_t end = util::SaturatingAdd(event.start, event.duration);
    found[row].start = std::min(found[row].start, event.start);
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

std::string DeviceStepsText(const KinetoSteps& steps,
                            std::span<const DeviceStep> device_steps) {
  constexpr double kNanosPerMilli = 1e6;
  int64_t behind = 0;
  for (size_t row = 0; row < device_steps.size(); ++row) {
    behind = std::max(
        behind, util::WrapSub(device_steps[row].end, steps.rows()[row].end));
  }
  return fmt::format(
      "the host does not wait for its devices, which end a step up to {:.3f} "
      "ms after it: each step is from its first work on a device to that of "
      "the next step",
      static_cast<double>(behind) / kNanosPerMilli);
}

}  // namespace tfprof::kineto
