// RunParts: the parts of the time in which a device worked (account.h).
//
// An object is for one device; it caches what names mean. Objects of several
// devices may be used at the same time. Times are ticks of the profile.

#ifndef TFPROF_TIMELINE_ACCOUNT_RUN_PARTS_H_
#define TFPROF_TIMELINE_ACCOUNT_RUN_PARTS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "profile/profile.h"
#include "timeline/account/account.h"
#include "timeline/account/part_sums.h"
#include "timeline/activity.h"
#include "timeline/intervals.h"
#include "timeline/own_time.h"
#include "util/text/by_address.h"

namespace tfprof::timeline {

// A time in which a device waits for a late rank.
struct LateTime {
  Interval time;
  profile::ProcessId rank = profile::kNone;
};

class RunParts;

// The runs of a device, in the order in which they count: computation, then
// communication, then copies, then waits for events. The runs of one of these
// do not overlap here: the one that began first has the time. Of runs that
// contain others, only the own time is here (own_time.h). So those in a window
// are found by a search, even if one run is as long as the recording. The
// windows are asked one after the other: each run is read once, and only the
// runs of a window are in memory.
class FlatRuns {
 public:
  struct Piece {
    int64_t start = 0;
    int64_t end = 0;
    const DeviceRun* run = nullptr;
    bool is_whole = true;  // the run has no other pieces
  };
  static constexpr size_t kPriorities = 4;

  // The references must outlive the object.
  FlatRuns(const DeviceActivity& device, RunParts& parts);
  FlatRuns(const FlatRuns&) = delete;
  FlatRuns& operator=(const FlatRuns&) = delete;

  // Reads the runs that may have time in a window. No window starts before the
  // one that was read before it.
  void Read(const Intervals& window);

  // Those that may have time in the window, by start.
  std::span<const Piece> of(size_t priority) const {
    return std::span(pieces_[priority].pieces).subspan(pieces_[priority].first);
  }

 private:
  struct Pieces {
    std::vector<Piece> pieces;
    size_t first = 0;  // the others end before the window
    int64_t end = 0;   // of all
  };

  // Own time comes in order, but for that of several lanes.
  struct OwnTimes {
    std::vector<Piece> sorted;
    size_t first = 0;         // the others were added
    std::vector<Piece> late;  // a heap, the first piece at its top
  };

  struct UsePiece {
    FlatRuns* runs;
    void operator()(const DeviceRun& run, int64_t start, int64_t end) const {
      const bool is_whole = start == run.start && end == run.end;
      runs->Use({start, end, &run, is_whole});
    }
  };

  static bool IsBefore(const Piece& a, const Piece& b) {
    return std::tie(a.start, a.run) < std::tie(b.start, b.run);
  }
  static bool IsAfter(const Piece& a, const Piece& b) { return IsBefore(b, a); }
  void Add(const Piece& piece);
  void Use(const Piece& piece);
  // Reads further runs until all pieces that start before `end` are known.
  void ReadOwnTime(int64_t end);

  const DeviceActivity& device_;
  RunParts& parts_;
  OwnTime<UsePiece> own_time_;
  OwnTimes own_times_;  // not yet in `pieces_`
  size_t next_ = 0;     // in the runs of the device
  std::array<Pieces, kPriorities> pieces_;
};

class RunParts {
 public:
  // `late` is sorted by start. The references must outlive the object, and the
  // object must outlive the sums.
  RunParts(Activities& activities, std::span<const LateTime> late);

  // Adds the work of a device in the window, which is the next one of
  // `device`: each run where nothing ran that counts before it. Returns the
  // time without runs.
  Intervals Add(FlatRuns& device, const Intervals& window, PartSums& sums);

  // After a cancellation what is added is not complete.
  const util::TaskOptions& work() const { return activities_.work(); }

  // Returns the place of a run in the order of FlatRuns.
  size_t PriorityOf(const DeviceRun& run);
  // Adds the part of a time of communication in which the device waited for a
  // late rank, and returns its length.
  int64_t AddLate(const Interval& time, PartSums& sums);

 private:
  std::string_view NameOfRank(profile::ProcessId process);
  // Whether a run of computation only waits for an event of another stream.
  bool Waits(const DeviceRun& run);
  Part PartOfRun(const DeviceRun& run);

  Activities& activities_;
  const profile::Profile& profile_;
  const std::span<const LateTime> late_;
  std::vector<uint8_t> part_of_node_;
  std::vector<uint8_t> part_of_kernels_;  // of nodes whose texts are the same
  std::vector<uint8_t> waits_of_node_;
  util::ByAddress<Part> part_of_kernel_;
  std::map<profile::ProcessId, std::string> rank_names_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_RUN_PARTS_H_
