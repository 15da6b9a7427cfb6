// Finds what the host did while one of its accelerators was idle.
//
// The time of a gap is assigned to one thread: the one that launched the run
// after the gap. If this is unknown, it is the thread with the most launches
// for the device. If that thread recorded nothing for most of the gaps, each
// moment is assigned to the thread of the process that recorded most of the
// gaps instead: a program may wait in one thread and launch in another.
//
// At each moment the innermost execution of the thread counts. An execution
// that is a whole step of the file is ignored. Times are ticks of the profile.
// This sorts all executions of the threads, so call it only if there are gaps
// to explain.

#ifndef TFPROF_TIMELINE_HOST_IN_GAPS_H_
#define TFPROF_TIMELINE_HOST_IN_GAPS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "timeline/activity.h"
#include "timeline/intervals.h"

namespace tfprof::timeline {

struct HostShare {
  // The op; for Python frames and executions without a node, their name; "" if
  // the thread recorded nothing. Owned by the profile.
  std::string_view name;
  int64_t time = 0;
};

// Returns the shares by descending time, equal times by name. They add up to
// the length of the gaps. Empty if the file has no launches.
std::vector<HostShare> HostInGaps(const Activities& activities,
                                  const DeviceActivity& device,
                                  const Intervals& gaps);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_HOST_IN_GAPS_H_
