#include "inspect/lanes.h"

#include <algorithm>

#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "inspect/lane_chart.h"
#include "timeline/step_wall.h"
#include "timeline/trace_activity.h"

namespace tfprof {

absl::StatusOr<LaneChart> MakeLaneChart(Views& views, int64_t step,
                                        std::string_view device) {
  const Profile& profile = views.profile();
  const Step* one = nullptr;
  if (step >= 0) {
    one = profile.FindStep(step);
  } else if (step != kAllSteps) {
    const std::vector<StepWall> walls = StepWalls(views);
    if (const StepWall* typical = TypicalStep(walls)) one = typical->step;
  }
  LaneChart chart;
  chart.ticks_per_micro = profile.ticks_per_micro();
  chart.step = one == nullptr ? kAllSteps : one->id;
  absl::Status filled;
  if (IsTrace(profile)) {
    filled = FillTraceLanes(views, one, device, chart);
  } else {
    chart.ticks_per_micro = 1;  // what tasks did is in microseconds
    std::vector<const Step*> steps;
    for (const auto& s : profile.steps()) {
      if (one == nullptr || s.get() == one) steps.push_back(s.get());
    }
    filled = FillTaskLanes(views, steps, device, chart);
  }
  if (!filled.ok()) return filled;
  if (chart.devices.empty() || chart.length <= 0) {
    return absl::FailedPreconditionError(fmt::format(
        "no lanes to show: no execution{} has a start and a duration. They are "
        "in RunMetadata recorded with FULL_TRACE, in ProfileProto files of it, "
        "and in traces; samples and sums have none (`status` says what was "
        "loaded)",
        one == nullptr ? "" : fmt::format(" of step {}", one->id)));
  }
  return chart;
}

int64_t SliceStart(const LaneChart& chart, size_t i, size_t n) {
  return static_cast<int64_t>(static_cast<__int128>(chart.length) *
                              static_cast<__int128>(i) /
                              static_cast<__int128>(std::max<size_t>(n, 1)));
}

}  // namespace tfprof
