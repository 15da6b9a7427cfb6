#include "advisor/judged.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/activity.h"
#include "timeline/step_wall.h"
#include "timeline/trace_activity.h"
#include "util/median.h"

namespace tfprof {
namespace {

constexpr char kNoExecutions[] = "no execution was recorded";
constexpr char kOnlyTensorFlow[] = "judges profiles of TensorFlow 1";
constexpr char kOnlyTraces[] = "judges traces of devices";
constexpr char kNoStarts[] = "no execution with a start and a length";

bool HasExecutions(const Profile& profile) {
  return std::any_of(profile.steps().begin(), profile.steps().end(),
                     [](const auto& step) { return step->num_groups() > 0; });
}

bool HasOption(const Checker& checker, std::string_view name) {
  return std::any_of(
      checker.options.begin(), checker.options.end(),
      [&](const CheckerOption& option) { return option.name == name; });
}

// The longest time of a task in a step; 0: none was recorded.
int64_t LongestTask(Views& views) {
  int64_t longest = 0;
  for (const auto& step : views.profile().steps()) {
    if (!step->listed || step->aggregated) continue;
    const auto activity = views.Kept<Activities>().Of(*step);
    for (const TaskActivity& task : activity->tasks) {
      longest = std::max(longest, task.span);
    }
  }
  return longest;
}

std::string WhyNoTaskTimes(const Checker& checker,
                           const CheckerSettings& settings, Views& views) {
  if (IsTrace(views.profile())) return kOnlyTensorFlow;
  const int64_t longest = LongestTask(views);
  if (longest <= 0) return kNoStarts;
  if (!HasOption(checker, "min_step")) return "";
  const double least = settings.Get("min_step");
  if (static_cast<double>(longest) >= least) return "";
  return fmt::format("judges steps of {} and more; the longest takes {}",
                     FormatMicros(ToInteger(least)), FormatMicros(longest));
}

std::string WhyNoTasks(Views& views) {
  if (IsTrace(views.profile())) return kOnlyTensorFlow;
  const auto& tasks = views.Kept<Activities>().roles().tasks();
  const auto named =
      std::count_if(tasks.begin(), tasks.end(),
                    [](const Process& task) { return !task.name.empty(); });
  return named > 1 ? "" : "needs several tasks";
}

std::string WhyNoSteps(const CheckerSettings& settings, Views& views) {
  const std::vector<StepWall> walls = StepWalls(views);
  const auto known = std::count_if(walls.begin(), walls.end(),
                                   [](const StepWall& w) { return w.known; });
  const double least = settings.Get("min_steps");
  if (static_cast<double>(known) >= least) return "";
  return fmt::format("needs {} steps with times, the profile has {}", least,
                     known);
}

std::string WhyNoAccelerators(Views& views) {
  if (!IsTrace(views.profile())) return kOnlyTraces;
  return views.Kept<TraceActivities>().Everything()->accelerators.empty()
             ? "no accelerator in this trace"
             : "";
}

std::string WhyNoRanks(Views& views) {
  std::string why = WhyNoAccelerators(views);
  if (!why.empty()) return why;
  return views.Kept<TraceActivities>().Everything()->accelerators.size() > 1
             ? ""
             : "needs several ranks or accelerators";
}

}  // namespace

std::string WhyNotJudged(const Checker& checker,
                         const CheckerSettings& settings,
                         const CheckerInput& input) {
  using Needs = Checker::Needs;
  if (checker.needs == Needs::kNothing) return "";
  Views& views = input.views;
  if (!HasExecutions(views.profile())) return kNoExecutions;
  switch (checker.needs) {
    case Needs::kNothing:
    case Needs::kExecutions:
      return "";
    case Needs::kTaskTimes:
      return WhyNoTaskTimes(checker, settings, views);
    case Needs::kTasks:
      return WhyNoTasks(views);
    case Needs::kSteps:
      return WhyNoSteps(settings, views);
    case Needs::kTrace:
      return IsTrace(views.profile()) ? "" : kOnlyTraces;
    case Needs::kAcceleratorTrace:
      return WhyNoAccelerators(views);
    case Needs::kRanks:
      return WhyNoRanks(views);
  }
  return "";
}

}  // namespace tfprof
