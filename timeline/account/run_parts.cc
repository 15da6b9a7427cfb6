#include "timeline/account/run_parts.h"

#include <algorithm>
#include <vector>

#include "timeline/account/work_classes.h"
#include "timeline/lane_units.h"
#include "timeline/own_time.h"
#include "util/arithmetic.h"

namespace tfprof::timeline {
namespace {

constexpr uint8_t kUnknown = 255;

int PriorityOf(RunKind kind) {
  return kind == RunKind::kCompute ? 0 : kind == RunKind::kCopy ? 2 : 1;
}

// The runs that may have time in the window.
std::span<const DeviceRun> RunsIn(const DeviceActivity& activity,
                                  int64_t longest, const Intervals& window) {
  const auto before = [](const DeviceRun& run, int64_t start) {
    return run.start < start;
  };
  const auto first =
      std::lower_bound(activity.runs.begin(), activity.runs.end(),
                       util::WrapSub(window.front().start, longest), before);
  return {first, std::lower_bound(first, activity.runs.end(), window.back().end,
                                  before)};
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
  const std::span<const DeviceRun> runs = RunsIn(device, longest, window);
  if (device.nesting.empty()) {
    return AddPieces(
        runs,
        [](const DeviceRun& run) {
          return Piece{run.start, run.end, &run};
        },
        [](const DeviceRun&) { return 1; }, window, sums);
  }
  std::vector<Piece> pieces;
  VisitOwnTime(runs, device.nesting,
               [&](const DeviceRun& run, int64_t start, int64_t end) {
                 pieces.push_back({start, end, &run});
               });
  std::ranges::stable_sort(pieces, {}, &Piece::start);
  std::vector<bool> counted(runs.size());
  const auto count = [&](const DeviceRun& run) {
    const auto r = static_cast<size_t>(&run - runs.data());
    const bool is_new = !counted[r];
    counted[r] = true;
    return is_new ? 1 : 0;
  };
  return AddPieces(
      pieces, [](const Piece& piece) { return piece; }, count, window, sums);
}

template <typename Rows, typename ToPiece, typename Count>
Intervals RunParts::AddPieces(const Rows& rows, ToPiece to_piece, Count count,
                              const Intervals& window, PartSums& sums) {
  Intervals free = window;
  for (int priority = 0; priority < 3; ++priority) {
    Intervals covered;
    size_t next = 0;  // in `free`
    int64_t now = 0;
    for (const auto& row : rows) {
      const Piece piece = to_piece(row);
      const DeviceRun& run = *piece.run;
      if (PriorityOf(run.kind) != priority || piece.end <= now) continue;
      const int64_t start = std::max(now, piece.start);
      now = piece.end;
      while (next < free.size() && free[next].end <= start) ++next;
      int64_t time = 0;
      for (size_t i = next; i < free.size() && free[i].start < piece.end; ++i) {
        const Interval part = {std::max(start, free[i].start),
                               std::min(piece.end, free[i].end)};
        if (part.length() <= 0) continue;
        AddInterval(covered, part.start, part.end);
        time += part.length();
        if (run.kind == RunKind::kCommunication) time -= AddLate(part, sums);
      }
      if (time > 0) {
        sums.Add(PartOfRun(run), activities_.Op(run), time, count(run));
      }
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
