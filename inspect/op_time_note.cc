#include "inspect/op_time_note.h"

#include <cstdint>
#include <vector>

#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/account/step_wall.h"
#include "timeline/replay_time.h"
#include "util/arithmetic.h"
#include "util/text/percent.h"

namespace tfprof::inspect {

std::string SumNote(const views::Report& report, views::Views& views) {
  const profile::Profile& profile = views.profile();
  const int64_t step = report.options.step;
  std::vector<const profile::Step*> steps;
  if (step >= 0) {
    steps.push_back(profile.FindStep(step));
  } else {
    steps = profile.AveragedSteps();
    // Work outside of steps has no wall time.
    std::erase_if(steps, [](const profile::Step* of) { return !of->listed; });
  }
  int64_t wall = 0;
  for (const profile::Step* of : steps) {
    const timeline::StepWall known = timeline::WallOf(views, *of);
    if (!known.known) return "";
    wall = util::SaturatingAdd(wall, known.done);
  }
  const bool average = step < 0 && step != accounting::kAllSteps;
  if (average && !steps.empty()) wall /= static_cast<int64_t>(steps.size());
  if (steps.empty()) return "";
  const auto time = [&](accounting::Stat stat) {
    return tables::FormatTime(report.root_total[stat],
                              profile.ticks_per_micro());
  };
  const auto passes = [&](accounting::Stat stat) {
    return report.root_total[stat] > wall;
  };
  std::string sums = time(accounting::kMicros);
  std::string why = "devices and threads work at the same time";
  bool is_more = passes(accounting::kMicros);
  if (accounting::HasBothTimes(report.root_total)) {
    // Each is compared by itself: both at once are no time of one device.
    const bool accelerator = passes(accounting::kAcceleratorMicros);
    const bool cpu = passes(accounting::kCpuMicros);
    is_more = accelerator || cpu;
    sums = accelerator && cpu
               ? fmt::format("{} on accelerators and {} on CPUs",
                             time(accounting::kAcceleratorMicros),
                             time(accounting::kCpuMicros))
           : accelerator
               ? time(accounting::kAcceleratorMicros) + " on accelerators"
               : time(accounting::kCpuMicros) + " on CPUs";
  }
  if (!is_more) return "";
  if (average && steps.size() > 1 && !profile.graph().self_times) {
    why =
        "the average of an operation is over the steps in which it ran, and "
        "devices and threads work at the same time; -step all has sums";
  }
  return fmt::format(
      "The sum of op times, {}, is more than the wall time{}, {}: {}.", sums,
      average ? " of a step" : "",
      tables::FormatTime(wall, profile.ticks_per_micro()), why);
}

std::string ReplayNote(const profile::Profile& profile) {
  constexpr double kNotable = 0.05;
  const timeline::ReplayTime replays = timeline::UnnamedReplays(profile);
  if (replays.share() < kNotable) return "";
  return fmt::format(
      "{} of the accelerators' time is kernels of replayed graphs, in the rows "
      "of their launches. A trace of the capture beside this file names their "
      "operations (advise all).",
      util::Percent(replays.ticks, replays.of_all));
}

}  // namespace tfprof::inspect
