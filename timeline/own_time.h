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

// Calls `use` with the own time of runs, in ticks, as pieces that are not
// empty. The pieces of a lane come in order, those of several lanes do not.
class OwnTime {
 public:
  using Use =
      std::function<void(const DeviceRun& run, int64_t start, int64_t end)>;

  // `nesting` is from NestingLanes(). It and the runs must outlive the object.
  OwnTime(std::span<const profile::LaneId> nesting, Use use);

  // Runs come sorted by start.
  void Add(const DeviceRun& run);
  // After the last run: uses all time that is left.
  void Finish();

  // A piece is used when it ends, which a later run may decide. Returns whether
  // a piece of the lane nesting[place] that starts before `time` is not used
  // yet, though no further run starts before `next`.
  bool Waits(size_t place, int64_t time, int64_t next);

 private:
  struct Open {
    int64_t start = 0;
    int64_t end = 0;
    const DeviceRun* run = nullptr;
    int64_t now = 0;  // its time before is used
  };

  void CloseUntil(int64_t time, std::vector<Open>& open);
  void Advance(Open& open, int64_t start, int64_t end);

  const std::span<const profile::LaneId> nesting_;
  const Use use_;
  // The open runs of each lane, outer ones first.
  std::vector<std::vector<Open>> open_;
};

// The same for runs that are all known.
void VisitOwnTime(std::span<const DeviceRun> runs,
                  std::span<const profile::LaneId> nesting, OwnTime::Use use);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_OWN_TIME_H_
