// Estimates the offsets between the clocks of a profile: how much the times of
// each process must be moved so that events of several processes are in the
// right order.
//
//   const ClockOffsets clocks = EstimateClockOffsets(profile, {0, 1});
//   start += clocks.of_lane[lane];
//
// The loader defines the clocks (Lane::clock): a process of TensorFlow 1, or a
// file without absolute times. Hosts, and ranks on unknown hosts, have their
// own clocks. If lanes of one clock are more than a day apart in one step,
// their recorder mixed two origins (times since 1970 and since the start of a
// machine), and they count as several clocks.
//
// Bounds come from related events whose order is certain:
//   * A collective in which every process waits for all others (all-reduce,
//     all-gather, reduce-scatter, all-to-all, barrier) does not end in one
//     process before it began in every other process.
//   * A RecvTensor does not end before the op that makes its tensor begins.
//   * Links: a kernel does not begin before its launch, and a receiver does
//     not end before the sender begins.
// Collectives are matched by step, group, kind and their order in the step, if
// all processes have the same number of them. All bounds together, combined
// over several clocks, give an interval for each clock. It contains the true
// offset if clocks do not drift.
//
// A clock whose recorded times fit the bounds is not moved. Otherwise its
// offset is the middle of the interval, or its end if there is only one. A
// clock with another origin and no bounds is moved so that its first event in a
// step coincides with the first event of the main clock, which is the clock
// with the most executions. Contradictory bounds are dropped and reported.
//
// Times are ticks of the profile. The time is linear in the executions and
// cubic in the clocks. If there are more than kMaxClocks clocks, none is moved.

#ifndef TFPROF_TIMELINE_RANKS_CLOCK_OFFSETS_H_
#define TFPROF_TIMELINE_RANKS_CLOCK_OFFSETS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"
#include "util/run/task_options.h"

namespace tfprof::timeline {

inline constexpr size_t kMaxClocks = 256;

struct ProfileClock {
  profile::LaneId lane = profile::kNone;  // its first lane
  profile::ProcessId process = profile::kNone;
  int64_t events = 0;
  // The offset to add to its times.
  int64_t offset = 0;
  // Bounds of the true offset to the main clock; nullopt: unbounded.
  std::optional<int64_t> low, high;
  int64_t matches = 0;         // events that gave a bound
  bool other_origin = false;   // differs from the main clock's origin
  bool contradictory = false;  // its bounds were contradictory and were dropped
};

struct ClockOffsets {
  std::vector<ProfileClock> clocks;  // starts with the main clock
  // The offsets to add to the times of each lane and process. Empty: no
  // offsets.
  std::vector<int64_t> of_lane;
  std::vector<int64_t> of_process;

  bool any_moved() const { return !of_lane.empty(); }
  int64_t OfLane(profile::LaneId lane) const {
    return lane < of_lane.size() ? of_lane[lane] : 0;
  }
  int64_t OfProcess(profile::ProcessId process) const {
    return process < of_process.size() ? of_process[process] : 0;
  }
};

// `steps` are indexes in Profile::steps(), ascending. After a cancellation the
// offsets mean nothing.
ClockOffsets EstimateClockOffsets(const profile::Profile& profile,
                                  const std::vector<size_t>& steps,
                                  const util::TaskOptions& work = {});

// Returns a line such as "worker/1: -1234.5 us (between -1240 and -1230 us,
// from 12 events)" for each clock, except the main one, that was moved or has
// bounds.
std::vector<std::string> ClockNotes(const profile::Profile& profile,
                                    const ClockOffsets& clocks);
// Returns the display name of a clock: its process, and its device if the
// process has several clocks.
std::string ClockName(const profile::Profile& profile,
                      const ClockOffsets& clocks, size_t clock);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_RANKS_CLOCK_OFFSETS_H_
