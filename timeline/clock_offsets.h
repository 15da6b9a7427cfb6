// Offsets between the clocks of a profile: by how much the times of a process
// must be moved so that what happened in several processes is in one order.
//
//   const ClockOffsets clocks = EstimateClockOffsets(profile, {0, 1});
//   start += clocks.of_lane[lane];
//
// A clock is what its loader says it is (Lane::clock): a process of TensorFlow
// 1, a file without absolute times. Hosts, and ranks whose host is not known,
// have clocks of their own. Where the lanes of one clock are more than a day
// apart in one step, their recorder mixed two origins (times since 1970 and
// since the start of a machine), and they count as several clocks.
//
// Bounds come from events that belong together and whose order is certain:
//   * a collective in which every process waits for all others (all-reduce,
//     all-gather, reduce-scatter, all-to-all, barrier) does not end in one
//     process before it began in another one;
//   * a RecvTensor does not end before the op that makes its tensor begins;
//   * what a link says: a kernel does not begin before its launch, a receiver
//     does not end before the sender begins.
// Collectives are matched by step, group, kind and their order in the step, if
// all processes have the same number of them. All bounds together, followed
// from clock to clock, give an interval for each clock; the true offset is in
// it, if clocks do not drift.
//
// A clock whose recorded times fit the bounds is not moved. Else its offset is
// the middle of the interval, or its end where there is only one. A clock with
// another origin and no bounds is moved so that its first event of a step is at
// the first one of the main clock, the one with the most executions. Bounds
// that contradict each other are dropped, and said.
//
// Ticks of the profile. Time linear in the executions, and cubic in the clocks
// (up to kMaxClocks; of more none is moved).

#ifndef TFPROF_TIMELINE_CLOCK_OFFSETS_H_
#define TFPROF_TIMELINE_CLOCK_OFFSETS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profile/profile.h"

namespace tfprof {

inline constexpr size_t kMaxClocks = 256;

struct ProfileClock {
  LaneId lane = kNone;  // its first one
  ProcessId process = kNone;
  int64_t events = 0;
  // What is added to its times.
  int64_t offset = 0;
  // Between which offsets to the main clock the true one is; nullopt: there is
  // no bound.
  std::optional<int64_t> low, high;
  int64_t matches = 0;         // events that gave a bound
  bool other_origin = false;   // than the main clock
  bool contradictory = false;  // its bounds were: none is used
};

struct ClockOffsets {
  std::vector<ProfileClock> clocks;  // the main clock first
  // What is added to the times of a lane, and of a process. Empty: nothing.
  std::vector<int64_t> of_lane;
  std::vector<int64_t> of_process;

  bool any_moved() const { return !of_lane.empty(); }
  int64_t OfLane(LaneId lane) const {
    return lane < of_lane.size() ? of_lane[lane] : 0;
  }
  int64_t OfProcess(ProcessId process) const {
    return process < of_process.size() ? of_process[process] : 0;
  }
};

// `steps`: places in Profile::steps(), ascending.
ClockOffsets EstimateClockOffsets(const Profile& profile,
                                  const std::vector<size_t>& steps);

// "worker/1: -1234.5 us (between -1240 and -1230 us, from 12 events)", for each
// clock but the main one that was moved or has bounds.
std::vector<std::string> ClockNotes(const Profile& profile,
                                    const ClockOffsets& clocks);
// What a table calls a clock: its process, and its device if the process has
// several clocks.
std::string ClockName(const Profile& profile, const ClockOffsets& clocks,
                      size_t clock);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_CLOCK_OFFSETS_H_
