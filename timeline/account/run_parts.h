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
#include <vector>

#include "profile/profile.h"
#include "timeline/account/account.h"
#include "timeline/account/part_sums.h"
#include "timeline/activity.h"
#include "timeline/intervals.h"
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
// are found by a search, even if one run is as long as the recording.
class FlatRuns {
 public:
  struct Piece {
    int64_t start = 0;
    int64_t end = 0;
    const DeviceRun* run = nullptr;
    bool is_whole = true;  // the run has no other pieces
  };
  static constexpr size_t kPriorities = 4;

  // Has the runs that may have time in `range`. `device` must outlive the
  // object.
  FlatRuns(const DeviceActivity& device, const Interval& range,
           RunParts& parts);

  // By start.
  const std::vector<Piece>& of(size_t priority) const {
    return pieces_[priority];
  }

 private:
  void Add(const Piece& piece, RunParts& parts);

  std::array<std::vector<Piece>, kPriorities> pieces_;
};

class RunParts {
 public:
  // `late` is sorted by start. The references must outlive the object, and the
  // object must outlive the sums.
  RunParts(Activities& activities, std::span<const LateTime> late);

  // Adds the work of a device in the window: each run where nothing ran that
  // counts before it. Returns the time without runs.
  Intervals Add(const FlatRuns& device, const Intervals& window,
                PartSums& sums);

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
  std::vector<uint8_t> waits_of_node_;
  util::ByAddress<Part> part_of_kernel_;
  std::map<profile::ProcessId, std::string> rank_names_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_RUN_PARTS_H_
