#include "timeline/own_time.h"

#include <algorithm>
#include <limits>
#include <utility>

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

OwnTime::OwnTime(std::span<const profile::LaneId> nesting, Use use)
    : nesting_(nesting), use_(std::move(use)), open_(nesting.size()) {}

void OwnTime::Add(const DeviceRun& run) {
  if (run.end <= run.start) return;
  const auto lane = std::ranges::lower_bound(nesting_, run.lane);
  if (lane == nesting_.end() || *lane != run.lane) {
    return use_(run, run.start, run.end);
  }
  std::vector<Open>& open = open_[static_cast<size_t>(lane - nesting_.begin())];
  CloseUntil(run.start, open);
  const auto place = PlaceOf(run, open);
  if (place != open.begin()) Advance(*(place - 1), run.start, run.end);
  open.insert(place, {.start = run.start,
                      .end = run.end,
                      .run = &run,
                      .now = place == open.end() ? run.start : place->end});
}

void OwnTime::Finish() {
  for (std::vector<Open>& open : open_) {
    CloseUntil(std::numeric_limits<int64_t>::max(), open);
  }
}

bool OwnTime::Waits(size_t place, int64_t time, int64_t next) {
  CloseUntil(next, open_[place]);
  return !open_[place].empty() && open_[place].back().now < time;
}

void OwnTime::CloseUntil(int64_t time, std::vector<Open>& open) {
  while (!open.empty() && open.back().end <= time) {
    Advance(open.back(), open.back().end, open.back().end);
    open.pop_back();
  }
}

// Uses the time of a run until `start`; the time until `end` is of another.
void OwnTime::Advance(Open& open, int64_t start, int64_t end) {
  if (start > open.now) use_(*open.run, open.now, start);
  open.now = std::max(open.now, end);
}

void VisitOwnTime(std::span<const DeviceRun> runs,
                  std::span<const profile::LaneId> nesting, OwnTime::Use use) {
  OwnTime own_time(nesting, std::move(use));
  for (const DeviceRun& run : runs) own_time.Add(run);
  own_time.Finish();
}

}  // namespace tfprof::timeline
