#include "timeline/own_time.h"

#include <algorithm>

namespace tfprof::timeline {
namespace {

// Returns the place of a run among the open ones that contain each other, outer
// ones first. Of runs that start together, the longest contains the others.
template <typename Open>
typename std::vector<Open>::iterator PlaceOf(const DeviceRun& run,
                                             std::vector<Open>& open) {
  auto place = open.end();
  while (place != open.begin() && (place - 1)->start == run.start &&
         (place - 1)->end < run.end) {
    --place;
  }
  return place;
}

// The open runs of a lane, outer ones first.
class OpenRuns {
 public:
  using Use = std::function<void(const DeviceRun&, int64_t, int64_t)>;

  explicit OpenRuns(const Use& use) : use_(use) {}

  void Add(const DeviceRun& run) {
    CloseUntil(run.start);
    const auto place = PlaceOf(run, open_);
    if (place != open_.begin()) Advance(*(place - 1), run.start, run.end);
    open_.insert(place, {.start = run.start,
                         .end = run.end,
                         .run = &run,
                         .now = place == open_.end() ? run.start : place->end});
  }
  void CloseUntil(int64_t time) {
    while (!open_.empty() && open_.back().end <= time) Close();
  }
  void CloseAll() {
    while (!open_.empty()) Close();
  }

 private:
  struct Open {
    int64_t start = 0;
    int64_t end = 0;
    const DeviceRun* run = nullptr;
    int64_t now = 0;  // its time before is used
  };

  void Close() {
    Advance(open_.back(), open_.back().end, open_.back().end);
    open_.pop_back();
  }
  // Uses the time of a run until `start`; the time until `end` is of another.
  void Advance(Open& open, int64_t start, int64_t end) {
    if (start > open.now) use_(*open.run, open.now, start);
    open.now = std::max(open.now, end);
  }

  const Use& use_;
  std::vector<Open> open_;
};

}  // namespace

std::vector<profile::LaneId> NestingLanes(std::span<const DeviceRun> runs,
                                          const profile::LaneTable& lanes) {
  struct OnLane {
    std::vector<Interval> open;  // outer ones first
    bool overlaps = false;
    bool crosses = false;
  };
  std::vector<OnLane> on_lane;
  for (const DeviceRun& run : runs) {
    if (run.end <= run.start || !lanes[run.lane].calls_nest) continue;
    if (run.lane >= on_lane.size()) on_lane.resize(run.lane + 1);
    OnLane& of = on_lane[run.lane];
    while (!of.open.empty() && of.open.back().end <= run.start) {
      of.open.pop_back();
    }
    of.overlaps |= !of.open.empty();
    const auto place = PlaceOf(run, of.open);
    of.crosses |= place != of.open.begin() && run.end > (place - 1)->end;
    of.open.insert(place, {run.start, run.end});
  }
  std::vector<profile::LaneId> nesting;
  for (profile::LaneId id = 0; id < on_lane.size(); ++id) {
    if (on_lane[id].overlaps && !on_lane[id].crosses) nesting.push_back(id);
  }
  return nesting;
}

void VisitOwnTime(
    std::span<const DeviceRun> runs, std::span<const profile::LaneId> nesting,
    const std::function<void(const DeviceRun&, int64_t, int64_t)>& use) {
  std::vector<OpenRuns> open(nesting.size(), OpenRuns(use));
  for (const DeviceRun& run : runs) {
    if (run.end <= run.start) continue;
    const auto lane = std::ranges::lower_bound(nesting, run.lane);
    if (lane != nesting.end() && *lane == run.lane) {
      open[static_cast<size_t>(lane - nesting.begin())].Add(run);
    } else {
      use(run, run.start, run.end);
    }
  }
  for (OpenRuns& of_lane : open) of_lane.CloseAll();
}

}  // namespace tfprof::timeline
