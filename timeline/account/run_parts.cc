#include "timeline/account/run_parts.h"

#include <algorithm>

#include "timeline/account/work_classes.h"
#include "timeline/lane_units.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {
namespace {

constexpr uint8_t kUnknown = 255;

int PriorityOf(RunKind kind) {
  return kind == RunKind::kCompute ? 0 : kind == RunKind::kCopy ? 2 : 1;
}

// The first run that may end after the window begins.
std::vector<DeviceRun>::const_iterator FirstRun(const DeviceActivity& activity,
                                                int64_t longest,
                                                const Intervals& window) {
  return std::lower_bound(
      activity.runs.begin(), activity.runs.end(),
      util::WrapSub(window.front().start, longest),
      [](const DeviceRun& run, int64_t start) { return run.start < start; });
}

// The part of an operation: an operation on a host may read input.
Part PartOfWork(std::string_view op) {
  const KernelClass of = KernelClassOf(op);
  if (of != KernelClass::kOther) return PartOf(of);
  return HostCallOf(op) == HostCall::kInput ? Part::kInput
                                            : Part::kOtherCompute;
}

}  // namespace

RunParts::RunParts(Activities& activities, std::span<const LateTime> late)
    : activities_(activities),
      profile_(activities.profile()),
      late_(late),
      part_of_node_(profile_.nodes().size(), kUnknown) {}

Intervals RunParts::Add(const DeviceActivity& device, int64_t longest,
                        const Intervals& window, PartSums& sums) {
  if (window.empty()) return window;
  Intervals free = window;
  for (int priority = 0; priority < 3; ++priority) {
    Intervals covered;
    size_t next = 0;  // in `free`
    int64_t now = 0;
    for (auto run = FirstRun(device, longest, window);
         run != device.runs.end() && run->start < window.back().end; ++run) {
      if (PriorityOf(run->kind) != priority || run->end <= now) continue;
      const int64_t start = std::max(now, run->start);
      now = run->end;
      while (next < free.size() && free[next].end <= start) ++next;
      int64_t time = 0;
      for (size_t i = next; i < free.size() && free[i].start < run->end; ++i) {
        const Interval part = {std::max(start, free[i].start),
                               std::min(run->end, free[i].end)};
        if (part.length() <= 0) continue;
        AddInterval(covered, part.start, part.end);
        time += part.length();
        if (run->kind == RunKind::kCommunication) time -= AddLate(part, sums);
      }
      if (time > 0) sums.Add(PartOfRun(*run), activities_.Op(*run), time);
    }
    free = Subtract(free, covered);
  }
  return free;
}

// Adds the part of a time of communication in which the device waited for a
// late rank, and returns its length.
int64_t RunParts::AddLate(const Interval& time, PartSums& sums) {
  int64_t late = 0, now = time.start;
  auto wait = std::partition_point(
      late_.begin(), late_.end(),
      [&](const LateTime& of) { return of.time.end <= time.start; });
  for (; wait != late_.end() && wait->time.start < time.end; ++wait) {
    const int64_t start = std::max(now, wait->time.start);
    const int64_t end = std::min(time.end, wait->time.end);
    if (start >= end) continue;
    sums.Add(Part::kLateRank, NameOfRank(wait->rank), end - start);
    late += end - start;
    now = end;
  }
  return late;
}

std::string_view RunParts::NameOfRank(profile::ProcessId process) {
  const auto [it, is_new] = rank_names_.try_emplace(process);
  if (is_new) {
    // A task of TensorFlow has its full name in findings.
    const profile::Process& of = profile_.lanes().process(process);
    it->second =
        of.job.empty() ? ProcessName(profile_.lanes(), process) : of.name;
  }
  return it->second;
}

Part RunParts::PartOfRun(const DeviceRun& run) {
  if (run.kind == RunKind::kCommunication) return Part::kCommunication;
  if (run.kind == RunKind::kCopy) {
    return WaitsForCopy(activities_.Op(run)) ? Part::kOffload : Part::kCopies;
  }
  if (run.node == profile::kNone) return PartOfWork(activities_.Op(run));
  uint8_t& known = part_of_node_[run.node];
  if (known == kUnknown) {
    Part part = PartOfWork(activities_.Op(run));
    if (part == Part::kOtherCompute && run.launch == profile::kNone) {
      // The name may be that of a kernel.
      const std::string_view name = activities_.NodeName(run);
      part = PartOfWork(name.substr(name.rfind('/') + 1));
    }
    known = static_cast<uint8_t>(part);
  }
  const auto part = static_cast<Part>(known);
  if (part != Part::kOtherCompute ||
      profile_.lanes()[run.lane].kind != profile::LaneKind::kKernels) {
    return part;
  }
  // The kernels of one operation may be of several classes.
  const std::string_view name = activities_.Name(run);
  const auto [of_kernel, is_new] = part_of_kernel_.At(name);
  if (is_new) *of_kernel = PartOf(KernelClassOf(name));
  return *of_kernel;
}

}  // namespace tfprof::timeline
