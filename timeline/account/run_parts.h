// RunParts: the parts of the time in which a device worked (account.h).
//
// An object is for one device; it caches what names mean. Objects of several
// devices may be used at the same time. Times are ticks of the profile.

#ifndef TFPROF_TIMELINE_ACCOUNT_RUN_PARTS_H_
#define TFPROF_TIMELINE_ACCOUNT_RUN_PARTS_H_

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

class RunParts {
 public:
  // `late` is sorted by start. The references must outlive the object, and the
  // object must outlive the sums.
  RunParts(Activities& activities, std::span<const LateTime> late);

  // Adds the work of `device` in the window: first computation, then
  // communication, then copies, each where nothing before it in this order ran.
  // Of runs that contain others, only the own time counts (own_time.h).
  // `longest` is at least the length of each run. Returns the time without
  // runs.
  Intervals Add(const DeviceActivity& device, int64_t longest,
                const Intervals& window, PartSums& sums);

 private:
  struct Piece {
    int64_t start = 0;
    int64_t end = 0;
    const DeviceRun* run = nullptr;
  };

  // `rows` are sorted by start; to_piece(row) is a Piece, count(run) is 1 once.
  template <typename Rows, typename ToPiece, typename Count>
  Intervals AddPieces(const Rows& rows, ToPiece to_piece, Count count,
                      const Intervals& window, PartSums& sums);
  int64_t AddLate(const Interval& time, PartSums& sums);
  std::string_view NameOfRank(profile::ProcessId process);
  Part PartOfRun(const DeviceRun& run);

  Activities& activities_;
  const profile::Profile& profile_;
  const std::span<const LateTime> late_;
  std::vector<uint8_t> part_of_node_;
  util::ByAddress<Part> part_of_kernel_;
  std::map<profile::ProcessId, std::string> rank_names_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_RUN_PARTS_H_
