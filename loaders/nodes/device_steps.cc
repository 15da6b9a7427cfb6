#include "loaders/nodes/device_steps.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <utility>

#include "fmt/format.h"
#include "util/arithmetic.h"
#include "util/median.h"
#include "util/text/counted.h"

namespace tfprof::loaders {
namespace {

// The start and the end of a step without work.
constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
constexpr int64_t kNoEnd = std::numeric_limits<int64_t>::min();

// For each lane, whether its work says when a step begins: lanes of the stream
// of each device with most of the time of kernels. Input, shards and results
// may be copied and gathered on other streams long before.
std::vector<bool> LeadingLanes(std::span<const LaunchedWork> work,
                               std::span<const WorkLane> lanes) {
  std::vector<int64_t> times(lanes.size());
  for (const LaunchedWork& run : work) {
    times[run.lane] =
        util::SaturatingAdd(times[run.lane], util::WrapSub(run.end, run.start));
  }
  std::map<int64_t, size_t> most;  // by device
  for (size_t i = 0; i < lanes.size(); ++i) {
    if (!lanes[i].computes) continue;
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

std::vector<StepTime> FindDeviceSteps(std::span<const StepTime> steps,
                                      std::span<const LaunchedWork> work,
                                      std::span<const WorkLane> lanes) {
  if (steps.empty()) return {};
  std::vector<StepTime> found(steps.size(), {.start = kNever, .end = kNoEnd});
  const std::vector<bool> leads = LeadingLanes(work, lanes);
  int64_t all = 0, inside = 0, earliest = kNever;
  for (const LaunchedWork& run : work) {
    earliest = std::min(earliest, run.start);
    if (run.step == profile::kNone) continue;
    StepTime& step = found[run.step];
    // The first step has nothing before it from which it is to be told.
    if (run.step == 0 || leads[run.lane]) {
      step.start = std::min(step.start, run.start);
    }
    step.end = std::max(step.end, run.end);
    all = util::SaturatingAdd(all, util::WrapSub(run.end, run.start));
    const StepTime& of_host = steps[run.step];
    inside = util::SaturatingAdd(
        inside, std::max<int64_t>(
                    0, util::WrapSub(std::min(run.end, of_host.end),
                                     std::max(run.start, of_host.start))));
  }
  if (static_cast<double>(inside) >= kInsideSteps * static_cast<double>(all)) {
    return {};
  }
  // Nothing runs before the first work, so no earlier step ends there: what the
  // host does before it, such as a wait for the first batch, is part of the
  // step.
  if (found[0].start == earliest) {
    found[0].start = std::min(earliest, steps[0].start);
  }
  // How long the work of a step goes on beside that of the next one.
  std::vector<int64_t> beside;
  for (size_t row = 0; row < found.size(); ++row) {
    StepTime& step = found[row];
    if (step.start == kNever) return {};
    if (row + 1 == found.size() || found[row + 1].start < step.start) continue;
    beside.push_back(
        std::max<int64_t>(0, util::WrapSub(step.end, found[row + 1].start)));
    step.end = found[row + 1].start;
  }
  if (beside.empty()) return found;
  StepTime& last = found.back();
  last.end = std::max(last.start,
                      util::WrapSub(last.end, util::Median(std::move(beside))));
  return found;
}

void HostsAhead::Add(std::string_view file, std::span<const StepTime> steps,
                     std::span<const StepTime> device_steps) {
  if (device_steps.empty()) return;
  if (files++ == 0) path = file;
  for (size_t row = 0; row < device_steps.size(); ++row) {
    delay =
        std::max(delay, util::WrapSub(device_steps[row].end, steps[row].end));
  }
}

void HostsAhead::Log(double per_milli, ImportLog& log) const {
  if (files == 0) return;
  log.Add(ImportLog::kNotice, "host ahead of its devices",
          fmt::format("{}{}: the host does not wait for its devices, which end "
                      "a step up to {:.3f} ms after it: each step is from its "
                      "first work on a device to that of the next step",
                      path,
                      files == 1
                          ? ""
                          : fmt::format(" and {}",
                                        util::Counted(files - 1, "other file")),
                      static_cast<double>(delay) / per_milli),
          files);
}

}  // namespace tfprof::loaders
