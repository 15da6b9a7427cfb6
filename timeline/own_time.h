// The own time of runs of a device.
//
// On some lanes runs contain others: a while loop of XLA contains the
// operations of its body. The own time of such a run is its time without that
// of the runs that it contains, so that each moment of the lane is the own time
// of one run. On other lanes, where runs are beside each other, it is the time
// of the run.

#ifndef TFPROF_TIMELINE_OWN_TIME_H_
#define TFPROF_TIMELINE_OWN_TIME_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
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

// Returns the place of a run among the open ones that contain each other, outer
// ones first. Of runs that start together, the longest contains the others.
template <typename Open>
typename std::vector<Open>::iterator PlaceAmong(std::vector<Open>& open,
                                                const DeviceRun& run) {
  auto place = open.end();
  while (place != open.begin() && (place - 1)->start == run.start &&
         (place - 1)->end < run.end) {
    --place;
  }
  return place;
}

// Calls `use(run, start, end)` with the own time of runs, in ticks, as pieces
// that are not empty. The pieces of a lane come in order, those of several
// lanes do not.
template <typename Use>
class OwnTime {
 public:
  // `nesting` is from NestingLanes(). It and the runs must outlive the object.
  OwnTime(std::span<const profile::LaneId> nesting, Use use)
      : nesting_(nesting), use_(std::move(use)), open_(nesting.size()) {}

  // Runs come sorted by start.
  void Add(const DeviceRun& run) {
    if (run.end <= run.start) return;
    const auto lane = std::ranges::lower_bound(nesting_, run.lane);
    if (lane == nesting_.end() || *lane != run.lane) {
      use_(run, run.start, run.end);
      return;
    }
    std::vector<Open>& open =
        open_[static_cast<size_t>(lane - nesting_.begin())];
    CloseUntil(run.start, open);
    const auto place = PlaceAmong(open, run);
    if (place != open.begin()) Advance(*(place - 1), run.start, run.end);
    open.insert(place, {.start = run.start,
                        .end = run.end,
                        .run = &run,
                        .now = place == open.end() ? run.start : place->end});
  }
  // After the last run: uses all time that is left.
  void Finish() {
    for (std::vector<Open>& open : open_) {
      CloseUntil(std::numeric_limits<int64_t>::max(), open);
    }
  }

  // A piece is used when it ends, which a later run may decide. Returns whether
  // a piece of the lane nesting[place] that starts before `time` is not used
  // yet, though no further run starts before `next`.
  bool Waits(size_t place, int64_t time, int64_t next) {
    CloseUntil(next, open_[place]);
    return !open_[place].empty() && open_[place].back().now < time;
  }

 private:
  struct Open {
    int64_t start = 0;
    int64_t end = 0;
    const DeviceRun* run = nullptr;
    int64_t now = 0;  // its time before is used
  };

  void CloseUntil(int64_t time, std::vector<Open>& open) {
    while (!open.empty() && open.back().end <= time) {
      Advance(open.back(), open.back().end, open.back().end);
      open.pop_back();
    }
  }
  // Uses the time of a run until `start`; the time until `end` is of another.
  void Advance(Open& open, int64_t start, int64_t end) {
    if (start > open.now) use_(*open.run, open.now, start);
    open.now = std::max(open.now, end);
  }

  const std::span<const profile::LaneId> nesting_;
  const Use use_;
  // The open runs of each lane, outer ones first.
  std::vector<std::vector<Open>> open_;
};

// The same for runs that are all known.
template <typename Use>
void VisitOwnTime(std::span<const DeviceRun> runs,
                  std::span<const profile::LaneId> nesting, Use use) {
  OwnTime own_time(nesting, std::move(use));
  for (const DeviceRun& run : runs) own_time.Add(run);
  own_time.Finish();
}

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_OWN_TIME_H_
