#include "timeline/own_time.h"

namespace tfprof::timeline {

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
    const auto place = PlaceAmong(of.open, run);
    of.crosses |= place != of.open.begin() && run.end > (place - 1)->end;
    of.open.insert(place, {run.start, run.end});
  }
  std::vector<profile::LaneId> nesting;
  for (profile::LaneId id = 0; id < on_lane.size(); ++id) {
    if (on_lane[id].overlaps && !on_lane[id].crosses) nesting.push_back(id);
  }
  return nesting;
}

}  // namespace tfprof::timeline
