// The wall time of a step: how long it took on a clock. All commands and
// checkers use this definition.
//
//   const std::vector<StepWall> walls = StepWalls(views);
//   const StepWall* typical = TypicalStep(walls);
//
// The wall time is the longest interval that the input has for the step
// (profile/steps/step_intervals.h) in any process. Without such an interval, it
// is the time from the first start to the last end of the step's executions, on
// the clock for which it is longest: times of different clocks are not
// comparable. The time between two runs of the program in one step is excluded
// (activity.h). A step has no wall time if only its sums are kept or if nothing
// ran in it.
//
// A device is judged in the interval of its own process and, if no other step
// begins at its end, until the devices are done with the step
// (step_until_done.cc): the host may be through with a step before a device has
// begun it. StepWall::done is the longest such time.
//
// Times are ticks of the profile (Profile::ticks_per_micro()).

#ifndef TFPROF_TIMELINE_ACCOUNT_STEP_WALL_H_
#define TFPROF_TIMELINE_ACCOUNT_STEP_WALL_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "timeline/activity.h"
#include "timeline/intervals.h"
#include "views/views.h"

namespace tfprof::timeline {

struct StepWall {
  const profile::Step* step = nullptr;
  int64_t ticks = 0;
  int64_t done = 0;  // until its devices are done; at least `ticks`
  bool known = false;
};

StepWall WallOf(views::Views& views, const profile::Step& step);

// Returns the wall times of the listed steps, in the order of their numbers.
std::vector<StepWall> StepWalls(views::Views& views);

// Returns the median of the known wall times, 0 if none is known.
int64_t MedianWall(std::span<const StepWall> walls);

// Returns the step whose wall time is nearest to the median, the first one if
// there are several. Returns nullptr if no wall time is known.
const StepWall* TypicalStep(std::span<const StepWall> walls);

// Returns the step with the longest wall time, the first one if there are
// several.
const StepWall* LongestStep(std::span<const StepWall> walls);

// Returns the step that differs from the others: the longest one, if there are
// at least three steps and it takes at least kOddStep times the median.
// Otherwise returns nullptr.
inline constexpr double kOddStep = 1.5;
const StepWall* OddStep(std::span<const StepWall> walls);

// Returns whether a slow first step sets things up: no later step exceeds the
// median by at least half as much. Otherwise what made it slow came back.
// `ticks` are the lengths in the order of the steps.
bool IsWarmUp(std::span<const int64_t> ticks);

// Returns the longest interval that the input has for a step in any process, or
// nullopt.
std::optional<Interval> RecordedStep(const Activities& activities,
                                     int64_t step);

// Returns the time of the step until its devices are done. Returns nullopt if
// the input has no interval for the step and nothing ran in it.
std::optional<Interval> StepSpan(Activities& activities,
                                 const profile::Step& step);

// Returns the time in which a device is judged: the interval of the step in its
// process until the step is done, or the time in which anything ran on the
// clock of the device. It is empty if its process recorded only other steps.
Intervals StepWindow(Activities& activities, const profile::Step& step,
                     uint32_t unit);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_ACCOUNT_STEP_WALL_H_
