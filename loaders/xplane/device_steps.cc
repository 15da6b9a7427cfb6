#include "loaders/xplane/device_steps.h"

#include <algorithm>
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
  size_t count = 0;
  for (const FileLine& line : lines) count += line.launch_rows.size();
  launches.reserve(count);
  for (const FileLine& line : lines) {
    for (size_t i = 0; i < line.launch_rows.size(); ++i) {
      launches.try_emplace(line.events.correlations[i].second,
                           line.launch_rows[i]);
    }
  }
  return launches;
}

// Whether some of many launched runs say that most of the work runs in the
// steps that launched it. A table of all launches of a large file costs more
// than all else that its steps need.
bool SomeRunInside(std::span<const FileLine> lines, const FileSteps& steps) {
  constexpr size_t kSome = 1 << 16;
  size_t count = 0;
  for (const FileLine& line : lines) {
    if (line.use == LineUse::kStream) count += line.events.correlations.size();
  }
  if (count <= kSome) return false;
  const size_t stride = count / kSome;
  absl::flat_hash_map<uint64_t, Event> runs;
  size_t next = 0;
  for (const FileLine& line : lines) {
    if (line.use != LineUse::kStream) continue;
    for (const auto& [event, correlation] : line.events.correlations) {
      if (next++ % stride == 0) {
        runs.try_emplace(correlation, line.events.events[event]);
      }
    }
  }
  double all = 0, inside = 0;
  for (const FileLine& line : lines) {
    for (size_t i = 0; i < line.launch_rows.size(); ++i) {
      const uint32_t row = line.launch_rows[i];
      if (row == profile::kNone) continue;
      const auto run = runs.find(line.events.correlations[i].second);
      if (run == runs.end()) continue;
      const StepSpan& step = steps.spans()[row];
      const int64_t end =
          util::SaturatingAdd(run->second.start, run->second.duration);
      all += static_cast<double>(run->second.duration);
      inside += static_cast<double>(std::max<int64_t>(
          0, util::WrapSub(std::min(end, step.end),
                           std::max(run->second.start, step.start))));
      runs.erase(run);
    }
  }
  return inside >= loaders::kInsideSteps * all;
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
  if (!steps.of_host() || SomeRunInside(lines, steps)) return {};
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
