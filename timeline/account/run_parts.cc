#include "timeline/account/run_parts.h"

#include <algorithm>
#include <cstddef>

#include "absl/container/flat_hash_set.h"
#include "timeline/account/work_classes.h"
#include "timeline/lane_units.h"

namespace tfprof::timeline {
namespace {

constexpr uint8_t kUnknown = 255;

constexpr size_t kWaits = 3;  // the last priority

// The part of an operation: an operation on a host may read input.
Part PartOfWork(std::string_view op) {
  const KernelClass of = KernelClassOf(op);
  if (of != KernelClass::kOther) return PartOf(of);
  return HostCallOf(op) == HostCall::kInput ? Part::kInput
                                            : Part::kOtherCompute;
}

// Drops the first pieces, if there are enough of them to make the others move.
void DropUsed(std::vector<FlatRuns::Piece>& pieces, size_t& first) {
  if (first <= pieces.size() / 2) return;
  pieces.erase(pieces.begin(), pieces.begin() + static_cast<ptrdiff_t>(first));
  first = 0;
}

}  // namespace

FlatRuns::FlatRuns(const DeviceActivity& device, RunParts& parts)
    : device_(device), parts_(parts), own_time_(device.nesting, {this}) {}

void FlatRuns::Read(const Intervals& window) {
  if (window.empty()) return;
  const int64_t start = window.front().start, end = window.back().end;
  for (Pieces& of : pieces_) {
    while (of.first < of.pieces.size() && of.pieces[of.first].end <= start) {
      ++of.first;
    }
    DropUsed(of.pieces, of.first);
  }
  const std::span<const DeviceRun> runs = device_.runs;
  if (next_ == 0) {
    while (next_ < runs.size() && runs[next_].end <= start) ++next_;
  }
  if (!device_.nesting.empty()) return ReadOwnTime(end);
  for (; next_ < runs.size() && runs[next_].start < end; ++next_) {
    if (parts_.work().cancelled()) return;
    const DeviceRun& run = runs[next_];
    if (run.end > start) Add({run.start, run.end, &run});
  }
}

void FlatRuns::ReadOwnTime(int64_t end) {
  const std::span<const DeviceRun> runs = device_.runs;
  while (next_ < runs.size() && runs[next_].start < end) {
    if (parts_.work().cancelled()) return;
    own_time_.Add(runs[next_++]);
  }
  for (size_t lane = 0; lane < device_.nesting.size(); ++lane) {
    while (next_ < runs.size() &&
           own_time_.Waits(lane, end, runs[next_].start)) {
      own_time_.Add(runs[next_++]);
    }
  }
  if (next_ == runs.size()) own_time_.Finish();
  auto& [sorted, first, late] = own_times_;
  while (true) {
    const bool is_late =
        !late.empty() &&
        (first == sorted.size() || IsBefore(late.front(), sorted[first]));
    if (!is_late && first == sorted.size()) break;
    const Piece piece = is_late ? late.front() : sorted[first];
    if (piece.start >= end || parts_.work().cancelled()) break;
    Add(piece);
    if (is_late) {
      std::ranges::pop_heap(late, IsAfter);
      late.pop_back();
    } else {
      ++first;
    }
  }
  DropUsed(sorted, first);
}

void FlatRuns::Use(const Piece& piece) {
  auto& [sorted, first, late] = own_times_;
  if (sorted.empty() || IsBefore(sorted.back(), piece)) {
    sorted.push_back(piece);
  } else {
    late.push_back(piece);
    std::ranges::push_heap(late, IsAfter);
  }
}

void FlatRuns::Add(const Piece& piece) {
  Pieces& of = pieces_[parts_.PriorityOf(*piece.run)];
  if (piece.end <= of.end) return;
  of.pieces.push_back(piece);
  of.pieces.back().start = std::max(of.end, piece.start);
  of.end = piece.end;
}

RunParts::RunParts(Activities& activities, std::span<const LateTime> late)
    : activities_(activities),
      profile_(activities.profile()),
      late_(late),
      part_of_node_(profile_.nodes().size(), kUnknown),
      part_of_kernels_(profile_.nodes().size(), kUnknown),
      waits_of_node_(profile_.nodes().size(), kUnknown) {}

Intervals RunParts::Add(FlatRuns& device, const Intervals& window,
                        PartSums& sums) {
  if (window.empty()) return window;
  device.Read(window);
  Intervals free = window;
  absl::flat_hash_set<const DeviceRun*> counted;  // runs of several pieces
  for (size_t priority = 0; priority < FlatRuns::kPriorities; ++priority) {
    const std::span<const FlatRuns::Piece> pieces = device.of(priority);
    Intervals covered;
    size_t next = 0;  // in `free`
    auto piece = std::partition_point(pieces.begin(), pieces.end(),
                                      [&](const FlatRuns::Piece& of) {
                                        return of.end <= window.front().start;
                                      });
    for (; piece != pieces.end() && piece->start < window.back().end; ++piece) {
      if (activities_.work().cancelled()) return free;
      const DeviceRun& run = *piece->run;
      while (next < free.size() && free[next].end <= piece->start) ++next;
      int64_t time = 0;
      for (size_t i = next; i < free.size() && free[i].start < piece->end;
           ++i) {
        const Interval part = {std::max(piece->start, free[i].start),
                               std::min(piece->end, free[i].end)};
        if (part.length() <= 0) continue;
        AddInterval(covered, part.start, part.end);
        time += part.length();
        if (run.kind == RunKind::kCommunication) time -= AddLate(part, sums);
      }
      if (time > 0) {
        sums.Add(PartOfRun(run), activities_.Title(run), time,
                 piece->is_whole || counted.insert(&run).second ? 1 : 0);
      }
    }
    free = Subtract(free, covered);
  }
  return free;
}

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
  if (is_new) it->second = RankName(profile_.lanes(), process);
  return it->second;
}

size_t RunParts::PriorityOf(const DeviceRun& run) {
  if (run.kind == RunKind::kCopy) return 2;
  if (run.kind == RunKind::kCommunication) return 1;
  return Waits(run) ? kWaits : 0;
}

bool RunParts::Waits(const DeviceRun& run) {
  if (run.node == profile::kNone) return WaitsForEvent(activities_.Op(run));
  uint8_t& known = waits_of_node_[run.node];
  if (known == kUnknown) known = WaitsForEvent(activities_.Op(run)) ? 1 : 0;
  return known == 1;
}

Part RunParts::PartOfRun(const DeviceRun& run) {
  if (run.kind == RunKind::kCommunication) return Part::kCommunication;
  if (run.kind == RunKind::kCopy) {
    return WaitsForCopy(activities_.Op(run)) ? Part::kOffload : Part::kCopies;
  }
  if (Waits(run)) return Part::kQueue;
  if (run.node == profile::kNone) return PartOfWork(activities_.TypeOf(run));
  uint8_t& known = part_of_node_[run.node];
  if (known == kUnknown) {
    Part part = PartOfWork(activities_.TypeOf(run));
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
  uint8_t& of_all = part_of_kernels_[run.node];
  if (of_all != kUnknown) return static_cast<Part>(of_all);
  const std::string_view name = activities_.Name(run);
  const auto [of_kernel, is_new] = part_of_kernel_.At(name);
  if (is_new) *of_kernel = PartOf(KernelClassOf(name));
  if (profile_.nodes().HasSameTexts(run.node)) {
    of_all = static_cast<uint8_t>(*of_kernel);
  }
  return *of_kernel;
}

}  // namespace tfprof::timeline
