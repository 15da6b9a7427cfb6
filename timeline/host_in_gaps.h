// What the host did while one of its accelerators had nothing to do.
//
// The time of a gap goes to one thread: the one that launched the run which
// ends the gap. If that is not known, it is the thread with most launches for
// the device. If that thread recorded nothing for most of all gaps, each moment
// goes to the thread of the process that recorded most of them instead: a
// program may wait in one thread and launch in another.
//
// At each moment the innermost execution of the thread counts. An execution
// that is a whole step of the file is left out. Ticks of the profile. Sorts all
// executions of the threads, so ask when there is something to explain.

#ifndef TFPROF_TIMELINE_HOST_IN_GAPS_H_
#define TFPROF_TIMELINE_HOST_IN_GAPS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "timeline/activity.h"
#include "timeline/intervals.h"

namespace tfprof {

struct HostShare {
  // The op; of Python frames and of executions of no node, their name. "": the
  // thread recorded nothing. Belongs to the profile.
  std::string_view name;
  int64_t time = 0;
};

// By time, the largest first, equal times by name. The sum is the length of the
// gaps; none without a launch in the file.
std::vector<HostShare> HostInGaps(const Activities& activities,
                                  const DeviceActivity& device,
                                  const Intervals& gaps);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_HOST_IN_GAPS_H_
