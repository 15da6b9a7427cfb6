// The wall time of a step: how long it took on a clock. There is this one
// definition, so that all commands and checkers give a step the same time.
//
//   const std::vector<StepWall> walls = StepWalls(views);
//   const StepWall* typical = TypicalStep(walls);
//
// The wall time is the longest interval that the input has for the step
// (profile/step_intervals.h) in any process. Without such an interval it is the
// time from the first start to the last end of what ran in the step: in
// TensorFlow 1, of the task for which this is longest, because clocks of tasks
// differ (activity.h); in a trace, of all devices. A step of which only sums
// are kept, or in which nothing ran, has no wall time.
//
// Ticks of the profile (Profile::ticks_per_micro()).

#ifndef TFPROF_TIMELINE_STEP_WALL_H_
#define TFPROF_TIMELINE_STEP_WALL_H_

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "timeline/intervals.h"
#include "timeline/trace_activity.h"
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

// The longest interval that the input has for a step of TensorFlow 1 in any
// process, in microseconds; nullopt: none.
std::optional<Interval> RecordedTaskStep(const Profile& profile, int64_t step);

// The wall time of a step of a trace as an interval; nullopt: the file has no
// interval for it, and nothing ran in it.
std::optional<Interval> TraceStepSpan(TraceActivities& traces,
                                      const Step& step);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_STEP_WALL_H_
