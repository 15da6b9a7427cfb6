// Waiting for late ranks: in a collective in which each process waits for all
// others, a process waits until the last one has begun it, or until its own
// end.
//
// Collectives are matched as in clock_offsets.h, and the clocks of the
// processes are aligned by the same rules, so a wait is exact to the width of
// the bounds of the clocks. Times are ticks of the profile, on the process's
// own clock.

#ifndef TFPROF_TIMELINE_RANKS_LATE_RANKS_H_
#define TFPROF_TIMELINE_RANKS_LATE_RANKS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "timeline/intervals.h"
#include "timeline/ranks/clock_offsets.h"

namespace tfprof::timeline {

// A part in a matched collective.
struct RankWait {
  profile::ProcessId process = profile::kNone;
  profile::LaneId lane = profile::kNone;
  profile::ProcessId late = profile::kNone;  // the last one to begin it
  Interval time;  // empty if the process did not wait
};

// Returns `process` if it takes part in collectives. Returns kNone for
// parameter servers, and for processes without a name, a rank or a number.
profile::ProcessId RankOf(const profile::Profile& profile,
                          profile::ProcessId process);

// Returns the rank of each lane.
std::vector<profile::ProcessId> RanksOfLanes(const profile::Profile& profile);

// `group` are the steps (indexes in Profile::steps()) that are one step of the
// run (same_steps.h); `clocks` covers them. Returns one entry for each process
// and matched collective.
std::vector<RankWait> FindRankWaits(const profile::Profile& profile,
                                    const std::vector<size_t>& group,
                                    const std::vector<uint32_t>& rank_of_lane,
                                    const ClockOffsets& clocks);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_LATE_RANKS_H_
