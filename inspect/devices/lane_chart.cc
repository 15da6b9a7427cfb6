#include "inspect/devices/lane_chart.h"

#include <map>
#include <string>
#include <tuple>

#include "fmt/format.h"
#include "inspect/devices/device_words.h"
#include "timeline/intervals.h"
#include "util/text/nearest.h"

namespace tfprof::inspect {
namespace {

// The number of the longest gaps that get names.
constexpr size_t kGaps = 10;

}  // namespace

std::string LaneName(const profile::Profile& profile, profile::LaneId id) {
  const profile::Lane& lane = profile.lanes()[id];
  if (lane.device != profile::kNone) {
    const std::string_view name = profile.devices().name(lane.device);
    return std::string(name.substr(name.rfind('/') + 1));
  }
  std::string name;
  if (lane.name != profile::kNone) {
    name = profile.strings().Get(lane.name);
  } else if (lane.stream >= 0) {
    name = fmt::format("stream {}", lane.stream);
  } else if (lane.thread >= 0) {
    name = fmt::format("thread {}", lane.thread);
  } else {
    name = fmt::format("lane {}", id);
  }
  // A stream has a lane for each kind of work.
  const std::string_view kind = profile::LaneKindName(lane.kind);
  if ((lane.kind == profile::LaneKind::kCopies ||
       lane.kind == profile::LaneKind::kCommunication ||
       lane.kind == profile::LaneKind::kLaunches) &&
      name.find(kind) == name.npos) {
    name += fmt::format(" {}", kind);
  }
  return name;
}

void SortLanes(LaneChart::Device& device) {
  std::stable_sort(device.lanes.begin(), device.lanes.end(),
                   [](const LaneChart::Lane& a, const LaneChart::Lane& b) {
                     return Length(a.busy) > Length(b.busy);
                   });
  // Lanes with equal names get numbers, so that a name identifies one lane.
  std::map<std::string, int> seen;
  for (LaneChart::Lane& lane : device.lanes) {
    const int number = ++seen[lane.name];
    if (number > 1) lane.name += fmt::format(" #{}", number);
  }
}

void SortDevices(LaneChart& chart) {
  std::stable_sort(chart.devices.begin(), chart.devices.end(),
                   [](const LaneChart::Device& a, const LaneChart::Device& b) {
                     return std::tie(a.accelerator, a.busy) >
                            std::tie(b.accelerator, b.busy);
                   });
}

absl::Status KeepDevice(std::string_view name, LaneChart& chart) {
  if (name.empty() || chart.devices.empty()) return absl::OkStatus();
  bool same = false, any = false;
  std::vector<std::string_view> names;
  for (const LaneChart::Device& device : chart.devices) {
    names.push_back(device.name);
    same |= device.name == name;
    any |= IsDeviceMeant(device.name, name);
  }
  if (!any) {
    return absl::NotFoundError(fmt::format("no device {} that did anything{}",
                                           name, util::NearHint(name, names)));
  }
  std::erase_if(chart.devices, [&](const LaneChart::Device& device) {
    return device.name != name && (same || !IsDeviceMeant(device.name, name));
  });
  return absl::OkStatus();
}

void FindGaps(LaneChart& chart) {
  const bool has_accelerators =
      !chart.devices.empty() && chart.devices[0].accelerator;
  const auto longer = [](const LaneChart::Gap& a, const LaneChart::Gap& b) {
    return a.length > b.length;
  };
  for (size_t d = 0; d < chart.devices.size(); ++d) {
    const LaneChart::Device& device = chart.devices[d];
    if (device.accelerator != has_accelerators) continue;
    const timeline::Intervals idle = timeline::Subtract(
        timeline::Subtract(device.recorded, device.work), device.other_steps);
    chart.num_gaps += idle.size();
    for (const timeline::Interval& gap : idle) {
      chart.gaps.push_back({.device = d,
                            .unit = device.unit,
                            .begin = gap.start,
                            .start = util::WrapSub(gap.start, device.origin),
                            .length = gap.length()});
      if (chart.gaps.size() < 16 * kGaps) continue;
      std::nth_element(chart.gaps.begin(), chart.gaps.begin() + kGaps,
                       chart.gaps.end(), longer);
      chart.gaps.resize(kGaps);
    }
  }
  std::stable_sort(chart.gaps.begin(), chart.gaps.end(), longer);
  if (chart.gaps.size() > kGaps) chart.gaps.resize(kGaps);
}

}  // namespace tfprof::inspect
