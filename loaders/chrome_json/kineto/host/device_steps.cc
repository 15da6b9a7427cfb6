#include "loaders/chrome_json/kineto/host/device_steps.h"

#include <algorithm>
#include <cstddef>
#include <limits>

#include "fmt/format.h"
#include "util/arithmetic.h"

namespace tfprof::kineto {
namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();

// Returns the union of the steps, by start.
std::vector<DeviceStep> UnionOf(const KinetoSteps& steps) {
  std::vector<DeviceStep> parts;
  for (const KinetoStep& step : steps.rows()) {
    if (!parts.empty() && step.start <= parts.back().end) {
      parts.back().end = std::max(parts.back().end, step.end);
    } else {
      parts.push_back({step.start, step.end});
    }
  }
  return parts;
}

// Returns how much of an event lies in `parts`.
int64_t InsideOf(const std::vector<DeviceStep>& parts, int64_t start,
                 int64_t end) {
  int64_t inside = 0;
  auto part = std::partition_point(
      parts.begin(), parts.end(),
      [start](const DeviceStep& of) { return of.end <= start; });
  for (; part != parts.end() && part->start < end; ++part) {
    inside += std::min(end, part->end) - std::max(start, part->start);
  }
  return inside;
}

}  // namespace

std::vector<DeviceStep> FindDeviceSteps(const KinetoEvents& events,
                                        const KinetoSteps& steps,
                                        std::span<const uint32_t> launch) {
  if (steps.empty() || steps.of_engine()) return {};
  const std::vector<DeviceStep> recorded = UnionOf(steps);
  std::vector<DeviceStep> found(steps.rows().size(), {.start = kNever});
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
    inside = util::SaturatingAdd(inside, InsideOf(recorded, event.start, end));
  }
  if (all == 0 || inside > all / 2) return {};
  for (size_t row = 0; row < found.size(); ++row) {
    if (found[row].start == kNever) return {};
    // Work of another stream may begin before that of the step before ends.
    if (row + 1 < found.size() && found[row + 1].start >= found[row].start) {
      found[row].end = found[row + 1].start;
    }
  }
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
