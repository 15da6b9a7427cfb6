// The wall time of a step: how long it took on a clock. There is this one
// definition, so that all commands and checkers give a step the same time.
//
//   const std::vector<StepWall> walls = StepWalls(views);
//   const StepWall* typical = TypicalStep(walls);
//
// The wall time is the longest interval that the input has for the step
// (profile/step_intervals.h) in any process. Without such an interval it is the
// time from the first start to the last end of what ran in the step, on the
// clock for which this is longest: times of different clocks cannot be
// compared. The time between two runs of the program in one step is left out
// (activity.h). A step of which only sums are kept, or in which nothing ran,
// has no wall time.
//
// Ticks of the profile (Profile::ticks_per_micro()).

#ifndef TFPROF_TIMELINE_STEP_WALL_H_
#define TFPROF_TIMELINE_STEP_WALL_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "timeline/activity.h"
#include "timeline/intervals.h"
#include "views/views.h"

namespace tfprof {

struct StepWall {
  const Step* step = nullptr;
  int64_t ticks = 0;
  bool known = false;
};

StepWall WallOf(Views& views, const Step& step);

// Of the listed steps, in the order of their numbers.
std::vector<StepWall> StepWalls(Views& views);

// The median of the known wall times; 0 if none is known.
int64_t MedianWall(std::span<const StepWall> walls);

// The step whose wall time is nearest to the median; the first of equals.
// nullptr: no wall time is known.
const StepWall* TypicalStep(std::span<const StepWall> walls);

// The step with the longest wall time; the first of equals.
const StepWall* LongestStep(std::span<const StepWall> walls);

// The step that differs from the others: the longest one, if there are three
// steps or more and it takes kOddStep times the median or more. nullptr: none.
inline constexpr double kOddStep = 1.5;
const StepWall* OddStep(std::span<const StepWall> walls);

// The longest interval that the input has for a step in any process; nullopt:
// none.
std::optional<Interval> RecordedStep(const Activities& activities,
                                     int64_t step);

// From the beginning to the end of the wall time; nullopt: the input has no
// interval for the step, and nothing ran in it.
std::optional<Interval> StepSpan(Activities& activities, const Step& step);

// The wall time of the step for one device: the interval of the input, or when
// anything ran on the clock of the device.
Intervals StepWindow(Activities& activities, const Step& step, uint32_t unit);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_STEP_WALL_H_
