#include "timeline/step_wall.h"

#include <algorithm>
#include <cstdlib>

#include "timeline/activity.h"
#include "util/arithmetic.h"
#include "util/median.h"

namespace tfprof {
namespace {

// The longest interval that the file has for a step; nullopt: none.
std::optional<Interval> RecordedInterval(const TraceActivities& traces,
                                         int64_t step) {
  std::optional<Interval> longest;
  const auto [begin, end] = traces.profile().step_intervals().RowsOf(step);
  for (size_t row = begin; row < end; ++row) {
    const Interval interval = traces.StepTime(row);
    if (!longest || interval.length() > longest->length()) longest = interval;
  }
  return longest;
}

// From the first start to the last end of what ran.
std::optional<Interval> SpanOf(const TraceActivity& activity) {
  std::optional<Interval> span;
  const auto add = [&](const Interval& other) {
    if (!span) {
      span = other;
    } else {
      span->start = std::min(span->start, other.start);
      span->end = std::max(span->end, other.end);
    }
  };
  for (const AcceleratorActivity& device : activity.accelerators) {
    add(device.span);
  }
  for (const HostActivity& host : activity.hosts) add(host.span);
  return span;
}

StepWall TaskWall(Views& views, const Step& step) {
  StepWall wall = {.step = &step, .ticks = 0, .known = false};
  const auto activity = views.Kept<Activities>().Of(step);
  int64_t micros = 0;
  for (const TaskActivity& task : activity->tasks) {
    wall.known = true;
    micros = std::max(micros, task.span);
  }
  if (const auto recorded = RecordedTaskStep(views.profile(), step.id)) {
    wall.known = true;
    micros = recorded->length();
  }
  wall.ticks = SaturatingMul(micros, views.profile().ticks_per_micro());
  return wall;
}

}  // namespace

std::optional<Interval> RecordedTaskStep(const Profile& profile, int64_t step) {
  constexpr int64_t kNanosPerMicro = 1000;
  const StepIntervals& intervals = profile.step_intervals();
  std::optional<Interval> longest;
  const auto [begin, end] = intervals.RowsOf(step);
  for (size_t row = begin; row < end; ++row) {
    const Interval interval = {intervals.start[row] / kNanosPerMicro,
                               intervals.end[row] / kNanosPerMicro};
    if (!longest || interval.length() > longest->length()) longest = interval;
  }
  return longest;
}

std::optional<Interval> TraceStepSpan(TraceActivities& traces,
                                      const Step& step) {
  std::optional<Interval> span = RecordedInterval(traces, step.id);
  return span ? span : SpanOf(*traces.Of(step));
}

StepWall WallOf(Views& views, const Step& step) {
  if (!IsTrace(views.profile())) return TaskWall(views, step);
  const std::optional<Interval> span =
      TraceStepSpan(views.Kept<TraceActivities>(), step);
  return {.step = &step,
          .ticks = span ? span->length() : 0,
          .known = span.has_value()};
}

std::vector<StepWall> StepWalls(Views& views) {
  std::vector<StepWall> walls;
  for (const auto& step : views.profile().steps()) {
    if (step->listed) walls.push_back(WallOf(views, *step));
  }
  return walls;
}

int64_t MedianWall(std::span<const StepWall> walls) {
  std::vector<int64_t> ticks;
  for (const StepWall& wall : walls) {
    if (wall.known) ticks.push_back(wall.ticks);
  }
  return ticks.empty() ? 0 : Median(std::move(ticks));
}

const StepWall* TypicalStep(std::span<const StepWall> walls) {
  const int64_t median = MedianWall(walls);
  const auto distance = [&](const StepWall& wall) {
    return std::abs(static_cast<double>(wall.ticks) -
                    static_cast<double>(median));
  };
  const StepWall* nearest = nullptr;
  for (const StepWall& wall : walls) {
    if (!wall.known) continue;
    if (nearest == nullptr || distance(wall) < distance(*nearest)) {
      nearest = &wall;
    }
  }
  return nearest;
}

const StepWall* LongestStep(std::span<const StepWall> walls) {
  const StepWall* longest = nullptr;
  for (const StepWall& wall : walls) {
    if (!wall.known) continue;
    if (longest == nullptr || wall.ticks > longest->ticks) longest = &wall;
  }
  return longest;
}

const StepWall* OddStep(std::span<const StepWall> walls) {
  constexpr int64_t kMinSteps = 3;
  const auto known = std::count_if(walls.begin(), walls.end(),
                                   [](const StepWall& w) { return w.known; });
  const StepWall* longest = LongestStep(walls);
  if (known < kMinSteps ||
      static_cast<double>(longest->ticks) <
          kOddStep * static_cast<double>(MedianWall(walls)) ||
      longest->ticks <= 0) {
    return nullptr;
  }
  return longest;
}

}  // namespace tfprof
