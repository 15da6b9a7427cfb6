#include "timeline/account/idle_parts.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "profile/profile.h"
#include "timeline/account/graph_holes.h"
#include "timeline/account/work_classes.h"
#include "timeline/first_near.h"
#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof::timeline {
namespace {

// The limits of pieces of host time, in microseconds. Shorter pieces between
// launches are the cost of launching; longer ones are a cause of their own.
constexpr int64_t kLongProgram = 50;   // in a function of the program
constexpr int64_t kLongLibrary = 500;  // in a function of a library
constexpr int64_t kLongOperator = 500;
constexpr int64_t kLongLaunch = 1000;  // the first use of a kernel loads it
constexpr int64_t kLongSilence = 100;  // nothing was recorded
// A longer allocation, or another call of the runtime, sets the device up. The
// first call of a process does so, before anything has run on a device.
constexpr int64_t kLongAllocation = 200000;
constexpr int64_t kLongFirstCall = 10000;
// A launched run starts after this time, unless it waits for something.
constexpr int64_t kLaunchLatency = 1000;
// A device needs up to this time from one queued kernel to the next.
constexpr int64_t kKernelStart = 5;

}  // namespace

class IdleParts::Causes {
 public:
  Causes(Activities& activities, const DeviceActivity& device,
         const MergedThreads& merged, const Intervals& busy,
         QueuedWaits& queued, RunParts& runs)
      : activities_(activities),
        profile_(activities.profile()),
        device_(device),
        merged_(merged),
        threads_(merged.threads()),
        busy_(busy),
        queued_(queued),
        runs_(runs),
        holes_(activities, device),
        slow_launches_(PartOfSlowLaunches()) {}

  // Adds idle time. If the host waited for longer than launches were late in
  // short gaps, it could have launched the work earlier: the waits are the
  // cause.
  void Add(const Intervals& idle, PartSums& sums) {
    Intervals all_short, all_long;
    for (const Interval& gap : idle) {
      (gap.length() < Ticks(kLongOperator) ? all_short : all_long)
          .push_back(gap);
    }
    DrainingWaits waits;
    PartSums of_short;
    AddGaps(all_short, waits, of_short);
    AddGaps(all_long, waits, sums);
    if (waits.longest != nullptr &&
        waits.ticks > of_short.Of(Part::kLaunches)) {
      of_short.Move(Part::kLaunches, Part::kSynchronization,
                    CallText(waits.longest->name, waits.longest->outer));
    }
    sums.Add(of_short);
  }

 private:
  // The waits of the host at the ends of which the device had nothing to do.
  struct DrainingWaits {
    const HostWait* last = nullptr;
    const HostWait* longest = nullptr;
    int64_t ticks = 0;

    void Add(const HostWait* wait) {
      if (wait == nullptr || wait == last) return;
      last = wait;
      ticks = util::SaturatingAdd(ticks, wait->time.length());
      if (longest == nullptr || wait->time.length() > longest->time.length()) {
        longest = wait;
      }
    }
  };

  // A kernel is used for the first time once. If most launches are slow, the
  // first use of kernels is not why: a recorder that reads hardware counters
  // stops at each launch, and has ranges of kernels on a device, and no
  // kernels.
  Part PartOfSlowLaunches() const {
    constexpr size_t kManyLaunches = 16;
    std::vector<int64_t> lengths;
    for (const HostThread& thread : threads_) {
      for (const HostPiece& piece : thread.pieces) {
        if (piece.call == HostCall::kLaunch) lengths.push_back(piece.length());
      }
    }
    if (lengths.size() < kManyLaunches ||
        util::Median(std::move(lengths)) < Ticks(kLongLaunch)) {
      return Part::kFirstUse;
    }
    return ReadsCounters() ? Part::kProfiler : Part::kLaunches;
  }

  bool ReadsCounters() const {
    const profile::LaneTable& lanes = profile_.lanes();
    const profile::ProcessId process =
        activities_.units()[device_.unit].process;
    bool ranges = false;
    for (profile::LaneId id = 0; id < lanes.size(); ++id) {
      const profile::Lane& lane = lanes[id];
      if (lane.process != process || lane.physical == profile::kNone ||
          lanes.physical(lane.physical).kind == "cpu") {
        continue;
      }
      if (lane.kind != profile::LaneKind::kAnnotation) return false;
      ranges = true;
    }
    return ranges;
  }

  int64_t Ticks(int64_t micros) const {
    return util::SaturatingMul(micros, profile_.ticks_per_micro());
  }

  void AddGaps(const Intervals& idle, DrainingWaits& waits, PartSums& sums) {
    const std::span<const DeviceRun> runs = device_.runs;
    size_t next = 0;
    for (const Interval& gap : idle) {
      if (activities_.work().cancelled()) return;
      if (!device_.accelerator) {
        AddHostTime(gap, /*first=*/nullptr, /*drained=*/nullptr,
                    /*is_host=*/true, sums);
        continue;
      }
      next = FirstNear(runs, next,
                       [&](const DeviceRun& of) { return of.start < gap.end; });
      const bool is_launched =
          next < runs.size() && runs[next].launch != profile::kNone;
      AddGap(gap, is_launched ? &device_.launches[runs[next].launch] : nullptr,
             next, waits, sums);
    }
  }

  // `next` is the place of the run that ends the gap, and `launch` its launch,
  // if known.
  void AddGap(const Interval& gap, const DeviceLaunch* launch, size_t next,
              DrainingWaits& waits, PartSums& sums) {
    int64_t late_from = gap.end;
    const HostThread* first = nullptr;
    if (launch != nullptr) {
      late_from = std::clamp(launch->end, gap.start, gap.end);
      const profile::LaneId lane =
          profile_.steps()[launch->step]->LaneOf(launch->record);
      first = merged_.Find(profile_.lanes()[lane].thread);
      if (late_from < gap.end) {
        AddQueued({late_from, gap.end}, launch->end <= gap.start, next, sums);
      }
    }
    if (late_from <= gap.start) return;
    // Without a launch, the thread with the most recorded time launches. A wait
    // of another thread is for this device if it ends when the device is done.
    const HostThread* launcher =
        first != nullptr || threads_.empty() || threads_.front().in_flight
            ? first
            : &threads_.front();
    const HostWait* drained = launcher == nullptr
                                  ? nullptr
                                  : MergedThreads::WaitAt(*launcher, gap.start);
    if (drained == nullptr) {
      const int64_t silent =
          util::SaturatingAdd(gap.start, Ticks(kLongSilence));
      drained = merged_.WaitThatEnds(gap.start, std::min(late_from, silent));
    }
    waits.Add(drained);
    AddHostTime({gap.start, late_from}, first, drained,
                /*is_host=*/false, sums);
  }

  // Adds the time between the launch of a run and the run.
  void AddQueued(const Interval& time, bool was_queued, size_t run,
                 PartSums& sums) {
    const bool waits = was_queued || time.length() > Ticks(kLaunchLatency);
    if (waits && holes_.Before(run)) {
      return sums.Add(Part::kNotRecorded, kGraphHole, time.length());
    }
    const bool starts = was_queued && time.length() <= Ticks(kKernelStart);
    const Part part = starts  ? Part::kKernelStarts
                      : waits ? Part::kQueue
                              : Part::kLaunches;
    std::string_view name;
    if (part == Part::kQueue) name = queued_.Of(time, run);
    sums.Add(part, name.empty() ? activities_.Op(device_.runs[run]) : name,
             time.length());
  }

  // "aten::item in train.py:12:step": a call, and what is around it.
  std::string_view CallText(profile::StringId name, profile::StringId outer) {
    const profile::StringPool& strings = profile_.strings();
    if (outer == profile::kNone || outer == name) {
      // The name of an operation may say nothing about what it does.
      const std::string_view type = activities_.TypeOfNamed(name);
      return TypeInName(strings.Get(name)) == type ? strings.Get(name) : type;
    }
    const auto [it, is_new] = call_texts_.try_emplace({name, outer});
    if (is_new) {
      it->second =
          fmt::format("{} in {}", strings.Get(name), strings.Get(outer));
    }
    return it->second;
  }

  // Adds idle time by what the threads did: `first` comes before the others.
  void AddHostTime(const Interval& time, const HostThread* first,
                   const HostWait* drained, bool is_host, PartSums& sums) {
    Intervals rest = {time};
    const Intervals& wanted = merged_.wanted();
    const size_t around = FirstAfter(wanted, time.start, last_wanted_);
    around_ = around < wanted.size() ? wanted[around] : time;
    if (first == nullptr && threads_.size() == 1 &&
        !threads_.front().in_flight) {
      first = &threads_.front();
    }
    if (first != nullptr) AddThread(*first, drained, is_host, rest, sums);
    TakeSegments(/*waits=*/false, rest,
                 [&](const HostPiece& piece, const Interval& taken) {
                   AddPiece(piece, taken, drained, is_host, sums);
                 });
    if (rest.empty()) return;
    // While another device works, the host waits for that one.
    Intervals beside;
    if (!threads_.empty()) {
      beside = Intersect(rest, busy_);
      rest = Subtract(rest, beside);
    }
    for (const auto& [part, of] : {std::pair(Part::kSynchronization, &rest),
                                   std::pair(Part::kQueue, &beside)}) {
      const auto use = [&](const HostPiece& piece, const Interval& taken) {
        const bool is_sync =
            part == Part::kSynchronization && !piece.for_program;
        std::string_view name;
        if (part == Part::kQueue) name = queued_.OtherDevice(taken);
        sums.Add(is_sync || part == Part::kQueue ? part
                 : IsForInput(piece)             ? Part::kInput
                 : piece.python                  ? Part::kPython
                                                 : Part::kHostWork,
                 name.empty() ? CallText(piece.name, piece.outer) : name,
                 taken.length());
      };
      if (first != nullptr) {
        TakePieces(
            *first, *of, [](const HostPiece&) { return true; }, use);
      }
      TakeSegments(/*waits=*/true, *of, use);
    }
    if (!beside.empty()) rest = Union(rest, beside);
    for (const Interval& of : rest) {
      const bool is_short =
          !is_host && !threads_.empty() && of.length() < Ticks(kLongSilence);
      if (is_short && drained != nullptr) {
        sums.Add(Part::kSynchronization,
                 CallText(drained->name, drained->outer), of.length());
      } else {
        sums.Add(is_short ? Part::kLaunches : Part::kNotRecorded, "",
                 of.length());
      }
    }
  }

  bool IsForInput(const HostPiece& piece) const {
    const profile::StringPool& strings = profile_.strings();
    return piece.outer != profile::kNone &&
           WaitsForInput(strings.Get(piece.name), strings.Get(piece.outer));
  }

  // Returns the first piece or segment that ends after `time`. Gaps come in
  // order, so it is near `last`, the one that was found last.
  template <typename Piece>
  static size_t FirstAfter(const std::vector<Piece>& pieces, int64_t time,
                           size_t& last) {
    return last = FirstNear(pieces, last,
                            [time](const Piece& of) { return of.end <= time; });
  }

  // Calls `use` for each piece of a thread in `rest` that `accept` accepts, and
  // removes it from `rest`.
  template <typename Accept, typename Use>
  void TakePieces(const HostThread& thread, Intervals& rest, Accept accept,
                  Use use) {
    Take(thread.pieces, first_piece_[&thread], rest, accept,
         [&](const HostPiece& piece, const Interval& taken) {
           use(piece, taken);
         });
  }
  // The same of the segments of all threads.
  template <typename Use>
  void TakeSegments(bool waits, Intervals& rest, Use use) {
    using Segment = MergedThreads::Segment;
    Take(
        merged_.segments(), first_segment_, rest,
        [waits](const Segment& of) { return of.waits == waits; },
        [&](const Segment& of, const Interval& taken) {
          use(*of.piece, taken);
        });
  }

  template <typename Piece, typename Accept, typename Use>
  static void Take(const std::vector<Piece>& pieces, size_t& first,
                   Intervals& rest, Accept accept, Use use) {
    Intervals taken;
    for (const Interval& of : rest) {
      for (size_t p = FirstAfter(pieces, of.start, first);
           p < pieces.size() && pieces[p].start < of.end; ++p) {
        const Piece& piece = pieces[p];
        if (!accept(piece)) continue;
        const Interval part = {std::max(of.start, piece.start),
                               std::min(of.end, piece.end)};
        AddInterval(taken, part.start, part.end);
        use(piece, part);
      }
    }
    if (!taken.empty()) rest = Subtract(rest, taken);
  }

  void AddThread(const HostThread& thread, const HostWait* drained,
                 bool is_host, Intervals& rest, PartSums& sums) {
    TakePieces(
        thread, rest,
        [&](const HostPiece& piece) {
          return !IsWait(activities_, is_host, piece);
        },
        [&](const HostPiece& piece, const Interval& taken) {
          AddPiece(piece, taken, drained, is_host, sums);
        });
  }

  // Adds time of a piece that is no wait. Only its part without work of the
  // device says how long the host took.
  void AddPiece(HostPiece piece, const Interval& taken, const HostWait* drained,
                bool is_host, PartSums& sums) {
    piece.start = std::max(piece.start, around_.start);
    piece.end = std::min(piece.end, around_.end);
    piece.stretch = {std::max(piece.stretch.start, around_.start),
                     std::min(piece.stretch.end, around_.end)};
    const Part part = is_host ? PartOfHost(piece) : PartOfPiece(piece);
    int64_t time = taken.length();
    if (part == Part::kCommunication) time -= runs_.AddLate(taken, sums);
    if (time <= 0) return;
    if (drained != nullptr && part == Part::kLaunches) {
      sums.Add(Part::kSynchronization, CallText(drained->name, drained->outer),
               time);
    } else if (part == Part::kLaunches) {
      sums.Add(part,
               profile_.strings().Get(
                   piece.outer == profile::kNone ? piece.name : piece.outer),
               time);
    } else {
      sums.Add(part, CallText(piece.name, piece.outer), time);
    }
  }

  // What the host did while the device had nothing to do.
  Part PartOfPiece(const HostPiece& piece) const {
    const int64_t length = piece.length();
    switch (piece.call) {
      case HostCall::kInput:
        return Part::kInput;
      case HostCall::kCompilation:
        return Part::kCompilation;
      case HostCall::kFirstUse:
        return Part::kFirstUse;
      case HostCall::kProfiler:
        return Part::kProfiler;
      case HostCall::kAllocation:
        return SetsUp(piece) ? Part::kFirstUse : Part::kAllocation;
      case HostCall::kLaunch:
        if (length < Ticks(kLongLaunch)) return Part::kLaunches;
        return length >= Ticks(kLongAllocation) ? Part::kFirstUse
                                                : slow_launches_;
      case HostCall::kWait:
      case HostCall::kOther:
        break;
    }
    if (piece.python) {
      return piece.stretch.length() >=
                     Ticks(piece.library ? kLongLibrary : kLongProgram)
                 ? Part::kPython
                 : Part::kLaunches;
    }
    if (length < Ticks(kLongOperator)) return Part::kLaunches;
    const std::string_view name = profile_.strings().Get(piece.name);
    return (name.starts_with("cuda") || name.starts_with("hip")) &&
                   SetsUp(piece)
               ? Part::kFirstUse
               : Part::kHostWork;
  }

  // Returns whether a call of the runtime is so slow that it sets a device up.
  bool SetsUp(const HostPiece& piece) const {
    const bool is_first = busy_.empty() || piece.end <= busy_.front().start;
    return piece.length() >= Ticks(is_first ? kLongFirstCall : kLongAllocation);
  }

  // What a host without accelerators did.
  Part PartOfHost(const HostPiece& piece) {
    const Part of_name = PartOfName(piece.name);
    if (of_name == Part::kCommunication) return of_name;
    if (piece.call != HostCall::kOther) {
      const Part part = PartOfPiece(piece);
      return part == Part::kLaunches ? Part::kOtherCompute : part;
    }
    return piece.python ? Part::kPython : of_name;
  }
  // The words of a name are compared with those of all classes, so each name is
  // looked at once.
  Part PartOfName(profile::StringId id) {
    const auto [known, is_new] = part_of_name_.try_emplace(id);
    if (is_new) {
      const std::string_view name = activities_.TypeOfNamed(id);
      known->second = activities_.rules()->IsCommunication(name)
                          ? Part::kCommunication
                          : PartOf(KernelClassOf(name));
    }
    return known->second;
  }

  Activities& activities_;
  const profile::Profile& profile_;
  const DeviceActivity& device_;
  const MergedThreads& merged_;
  const std::span<const HostThread> threads_;
  const Intervals& busy_;  // of all accelerators of the process
  QueuedWaits& queued_;
  RunParts& runs_;
  const GraphHoles holes_;
  const Part slow_launches_;  // what launches longer than kLongLaunch are
  // As FirstAfter() found them last.
  absl::flat_hash_map<const HostThread*, size_t> first_piece_;
  size_t first_segment_ = 0, last_wanted_ = 0;
  Interval around_;  // the wanted time around the current gap
  absl::flat_hash_map<profile::StringId, Part> part_of_name_;
  std::map<std::pair<profile::StringId, profile::StringId>, std::string>
      call_texts_;
};

IdleParts::IdleParts(Activities& activities, const DeviceActivity& device,
                     const MergedThreads& threads, const Intervals& busy,
                     QueuedWaits& queued, RunParts& runs)
    : causes_(std::make_unique<Causes>(activities, device, threads, busy,
                                       queued, runs)) {}

IdleParts::~IdleParts() = default;

bool IdleParts::IsWait(const Activities& activities, bool is_host,
                       const HostPiece& piece) {
  return piece.call == HostCall::kWait &&
         !(is_host && activities.rules()->IsCommunication(
                          activities.TypeOfNamed(piece.name)));
}

void IdleParts::Add(const Intervals& idle, PartSums& sums) {
  causes_->Add(idle, sums);
}

}  // namespace tfprof::timeline
