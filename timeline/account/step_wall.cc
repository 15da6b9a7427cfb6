#include "timeline/account/step_wall.h"

#include <algorithm>
#include <cstdlib>

#include "util/median.h"

namespace tfprof::timeline {
namespace {

// Returns nullptr if nothing ran.
const ClockActivity* LongestClock(const StepActivity& activity) {
  const ClockActivity* longest = nullptr;
  for (const ClockActivity& clock : activity.clocks) {
    if (longest == nullptr || clock.length > longest->length) longest = &clock;
  }
  return longest;
}

// Returns the longest interval of a step until its work is done, in a process
// that has one, or else in any; nullopt if the input has none.
std::optional<Interval> StepUntilDone(
    Activities& activities, int64_t step,
    profile::ProcessId process = profile::kNone) {
  const profile::StepIntervals& intervals =
      activities.profile().step_intervals();
  const auto [begin, end] = intervals.RowsOf(step);
  bool in_process = false;
  for (size_t row = begin; row < end && process != profile::kNone; ++row) {
    in_process |= intervals.process[row] == int64_t{process};
  }
  std::optional<Interval> longest;
  for (size_t row = begin; row < end; ++row) {
    if (in_process && intervals.process[row] != int64_t{process}) continue;
    const Interval interval = activities.StepUntilDone(row);
    if (!longest || interval.length() > longest->length()) longest = interval;
  }
  return longest;
}

// A process that has intervals of other steps did not record this one: what it
// did then is not known.
bool DidNotRecord(const Activities& activities, int64_t step,
                  profile::ProcessId process) {
  if (!activities.HasSteps(process)) return false;
  const profile::StepIntervals& intervals =
      activities.profile().step_intervals();
  const auto [begin, end] = intervals.RowsOf(step);
  for (size_t row = begin; row < end; ++row) {
    if (intervals.process[row] == int64_t{process}) return false;
  }
  return true;
}

}  // namespace

std::optional<Interval> RecordedStep(const Activities& activities,
                                     int64_t step) {
  std::optional<Interval> longest;
  const auto [begin, end] = activities.profile().step_intervals().RowsOf(step);
  for (size_t row = begin; row < end; ++row) {
    const Interval interval = activities.StepTime(row);
    if (!longest || interval.length() > longest->length()) longest = interval;
  }
  return longest;
}

std::optional<Interval> StepSpan(Activities& activities,
                                 const profile::Step& step) {
  if (const auto done = StepUntilDone(activities, step.id)) return done;
  const auto activity = activities.Of(step);
  const ClockActivity* clock = LongestClock(*activity);
  return clock == nullptr ? std::nullopt : std::optional(clock->span);
}

Intervals StepWindow(Activities& activities, const profile::Step& step,
                     uint32_t unit) {
  if (DidNotRecord(activities, step.id, activities.units()[unit].process)) {
    return {};
  }
  if (const auto done = StepUntilDone(activities, step.id,
                                      activities.units()[unit].process)) {
    return done->length() > 0 ? Intervals{*done} : Intervals();
  }
  const auto activity = activities.Of(step);
  const ClockActivity* clock =
      activity->OfClock(activities.units()[unit].clock);
  return clock == nullptr ? Intervals() : clock->runs;
}

StepWall WallOf(views::Views& views, const profile::Step& step) {
  Activities& activities = views.Kept<Activities>();
  if (const auto recorded = RecordedStep(activities, step.id)) {
    return {.step = &step,
            .ticks = recorded->length(),
            .done = StepUntilDone(activities, step.id)->length(),
            .known = true};
  }
  const auto activity = activities.Of(step);
  const ClockActivity* clock = LongestClock(*activity);
  const int64_t ticks = clock == nullptr ? 0 : clock->length;
  return {
      .step = &step, .ticks = ticks, .done = ticks, .known = clock != nullptr};
}

std::vector<StepWall> StepWalls(views::Views& views) {
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
  return ticks.empty() ? 0 : util::Median(std::move(ticks));
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

bool IsWarmUp(std::span<const int64_t> ticks) {
  if (ticks.size() < 2) return false;
  const int64_t median =
      util::Median(std::vector<int64_t>(ticks.begin(), ticks.end()));
  const auto excess = [&](int64_t of) {
    return static_cast<double>(of) - static_cast<double>(median);
  };
  const std::span<const int64_t> later = ticks.subspan(1);
  const int64_t longest = *std::max_element(later.begin(), later.end());
  return excess(ticks.front()) > 0 && ticks.front() > longest &&
         excess(longest) < excess(ticks.front()) / 2;
}

}  // namespace tfprof::timeline
