#include "inspect/sum_note.h"

#include <cstdint>
#include <vector>

#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "tables/numbers.h"
#include "timeline/activity.h"
#include "timeline/step_wall.h"
#include "util/arithmetic.h"

namespace tfprof {

std::string SumNote(const Report& report, Views& views) {
  const Profile& profile = views.profile();
  const int64_t step = report.options.step;
  std::vector<const Step*> steps;
  if (step >= 0) {
    steps.push_back(profile.FindStep(step));
  } else {
    steps = profile.AveragedSteps();
    // Work outside of steps has no wall time.
    std::erase_if(steps, [](const Step* of) { return !of->listed; });
  }
  int64_t wall = 0;
  for (const Step* of : steps) {
    const StepWall known = WallOf(views, *of);
    if (!known.known) return "";
    wall = SaturatingAdd(wall, known.ticks);
  }
  const bool average = step < 0 && step != kAllSteps;
  if (average && !steps.empty()) wall /= static_cast<int64_t>(steps.size());
  const int64_t sum = report.root_total[kMicros];
  if (steps.empty() || sum <= wall) return "";
  std::string why = "devices and threads work at the same time";
  if (average && steps.size() > 1 && !profile.graph().self_times) {
    why =
        "the average of an operation is over the steps in which it ran, and "
        "devices and threads work at the same time; -step all has sums";
  } else if (!profile.graph().self_times &&
             views.Kept<Activities>().has_accelerators()) {
    why =
        "the launch of a kernel and the kernel both count as op time, and "
        "devices and threads work at the same time";
  }
  return fmt::format(
      "The sum of op times, {}, is more than the wall time{}, {}: {}.",
      FormatTime(sum, profile.ticks_per_micro()), average ? " of a step" : "",
      FormatTime(wall, profile.ticks_per_micro()), why);
}

}  // namespace tfprof
