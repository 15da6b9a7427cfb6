#include "loaders/xplane/device_steps.h"

#include <cstddef>
#include <cstdint>

#include "absl/container/flat_hash_map.h"
#include "loaders/nodes/communication_kernels.h"
#include "loaders/xplane/planes/device_planes.h"
#include "util/arithmetic.h"

namespace tfprof::xplane {
namespace {

using RowOfLaunch = absl::flat_hash_map<uint64_t, uint32_t>;

RowOfLaunch FindLaunches(std::span<const FileLine> lines) {
  RowOfLaunch launches;
  for (const FileLine& line : lines) {
    for (size_t i = 0; i < line.launch_rows.size(); ++i) {
      launches.try_emplace(line.events.correlations[i].second,
                           line.launch_rows[i]);
    }
  }
  return launches;
}

}  // namespace

std::vector<loaders::StepTime> TimesOf(const FileSteps& steps) {
  std::vector<loaders::StepTime> times;
  for (const StepSpan& span : steps.spans()) {
    times.push_back({.start = span.start, .end = span.end});
  }
  return times;
}

std::vector<loaders::StepTime> FindDeviceSteps(std::span<const FileLine> lines,
                                               const FileSteps& steps) {
  if (!steps.of_host()) return {};
  std::vector<loaders::WorkLane> lanes;
  std::vector<loaders::LaunchedWork> work;
  RowOfLaunch launches;
  absl::flat_hash_map<const XPlane*, int64_t> devices;
  for (size_t l = 0; l < lines.size(); ++l) {
    const FileLine& line = lines[l];
    if (line.use != LineUse::kStream) continue;
    if (lanes.empty()) launches = FindLaunches(lines);
    const int64_t device =
        devices.try_emplace(line.plane, static_cast<int64_t>(devices.size()))
            .first->second;
    const auto lane = static_cast<uint32_t>(lanes.size());
    for (const bool computes : {false, true}) {
      lanes.push_back({.device = device,
                       .stream = static_cast<int64_t>(l),
                       .computes = computes});
    }
    std::vector<bool> computes;
    for (const EventKey& key : line.events.keys) {
      const std::string_view name = line.MetadataOf(key).name;
      computes.push_back(!IsCopyName(name) && (!key.is_copy || key.is_kernel) &&
                         !loaders::IsCommunicationKernel(name));
    }
    const size_t first = work.size();
    for (const Event& event : line.events.events) {
      work.push_back({.start = event.start,
                      .end = util::SaturatingAdd(event.start, event.duration),
                      .lane = lane + (computes[event.key] ? 1 : 0)});
    }
    for (const auto& [event, group] : line.events.groups) {
      work[first + event].step = steps.RowOfGroup(group);
    }
    for (const auto& [event, correlation] : line.events.correlations) {
      const auto launch = launches.find(correlation);
      if (launch != launches.end()) work[first + event].step = launch->second;
    }
  }
  return loaders::FindDeviceSteps(TimesOf(steps), work, lanes);
}

}  // namespace tfprof::xplane
