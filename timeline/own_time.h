// The own time of runs of a device.
//
// On some lanes runs contain others: a while loop of XLA contains the
// operations of its body. The own time of such a run is its time without that
// of the runs that it contains, so that each moment of the lane is the own time
// of one run. On other lanes, where runs are beside each other, it is the time
// of the run.

#ifndef TFPROF_TIMELINE_OWN_TIME_H_
#define TFPROF_TIMELINE_OWN_TIME_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "profile/tables/lanes.h"
#include "timeline/activity.h"

namespace tfprof::timeline {

// Returns the lanes on which runs contain others, ascending: calls nest
// (Lane::calls_nest), some runs overlap, and of each two runs that overlap one
// contains the other. Kernels that overlap on a stream of a GPU only do so by
// chance. `runs` are sorted by start.
std::vector<profile::LaneId> NestingLanes(std::span<const DeviceRun> runs,
                                          const profile::LaneTable& lanes);

// Calls `use` with the own time of each run, in ticks, as pieces that are not
// empty. `runs` are sorted by start, `nesting` is from NestingLanes(). The
// pieces of a lane come in order, those of several lanes do not.
void VisitOwnTime(std::span<const DeviceRun> runs,
                  std::span<const profile::LaneId> nesting,
                  const std::function<void(const DeviceRun&, int64_t start,
                                           int64_t end)>& use);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_OWN_TIME_H_
