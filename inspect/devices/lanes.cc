#include "inspect/devices/lanes.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "accounting/node_stats.h"
#include "fmt/format.h"
#include "inspect/devices/device_labels.h"
#include "inspect/devices/lane_chart.h"
#include "timeline/account/step_wall.h"
#include "timeline/activity.h"

namespace tfprof::inspect {
namespace {

// Whether the work is shown on a lane of a chart: the host's launches for an
// accelerator are not.
bool IsShown(const timeline::Activities& activities,
             const timeline::Activities::ActiveSpan& work) {
  return !work.is_launch || !activities.units()[work.unit].accelerator;
}

// Fills a chart, except for its step and unit of time.
class Filler {
 public:
  // nullptr as `step` means the whole file.
  Filler(views::Views& views, const profile::Step* step)
      : activities_(views.Kept<timeline::Activities>()), step_(step) {
    if (step != nullptr) {
      steps_ = {step};
    } else {
      for (const auto& s : views.profile().steps()) steps_.push_back(s.get());
    }
  }

  // Fills all but the lanes and the names of gaps.
  absl::Status Fill(std::string_view device_name, LaneChart& chart) {
    const auto activity =
        step_ == nullptr ? activities_.Everything() : activities_.Of(*step_);
    FindBounds(*activity, chart);
    if (chart.length <= 0) return absl::OkStatus();
    AddDevices(*activity, chart);
    SortDevices(chart);
    if (absl::Status kept = KeepDevice(device_name, chart); !kept.ok()) {
      return kept;
    }
    for (size_t d = 0; d < chart.devices.size(); ++d) {
      device_of_[chart.devices[d].unit] = d;
    }
    AddOtherSteps(chart);
    FindGaps(chart);
    return absl::OkStatus();
  }

  void AddLanes(LaneChart& chart) {
    std::map<profile::LaneId, timeline::IntervalCollector> lanes;
    for (const profile::Step* step : steps_) {
      profile::LaneId last = profile::kNone;
      timeline::IntervalCollector* busy = nullptr;
      for (size_t e = 0; e < step->num_records(); ++e) {
        if (activities_.work().cancelled()) return;
        const auto work = activities_.SpanAt(*step, e);
        if (!work || !IsShown(activities_, *work)) continue;
        if (work->lane != last) busy = &lanes[last = work->lane];
        busy->Add(work->time.start, work->time.end);
      }
    }
    for (auto& [id, collected] : lanes) {
      LaneChart::Device* const device =
          DeviceOf(activities_.unit_of(id), chart);
      timeline::Intervals busy = std::move(collected).Take();
      if (device == nullptr || busy.empty()) continue;
      device->lanes.push_back({.name = LaneName(activities_.profile(), id),
                               .busy = std::move(busy)});
    }
    for (LaneChart::Device& device : chart.devices) SortLanes(device);
  }

 private:
  // The range of a clock that the chart shows.
  struct OfClock {
    Bounds bounds;
    timeline::Intervals recorded;
    timeline::IntervalCollector times;  // until `recorded` is set
  };

  uint32_t ClockOf(uint32_t unit) const {
    return activities_.units()[unit].clock;
  }

  // Returns nullptr if the device is not in the chart.
  LaneChart::Device* DeviceOf(uint32_t unit, LaneChart& chart) const {
    const auto it = device_of_.find(unit);
    return it == device_of_.end() ? nullptr : &chart.devices[it->second];
  }

  // Each clock, with its marks, begins at the left edge.
  void FindBounds(const timeline::StepActivity& activity, LaneChart& chart) {
    for (const timeline::ClockActivity& clock : activity.clocks) {
      clocks_[clock.clock].bounds.Add(clock.runs);
      for (const timeline::Interval& run : clock.runs) {
        clocks_[clock.clock].times.Add(run.start, run.end);
      }
    }
    std::vector<std::pair<int64_t, timeline::Interval>> spans;  // of steps
    for (const profile::Step* step : steps_) {
      if (!step->listed) continue;
      const std::optional<timeline::Interval> span =
          timeline::StepSpan(activities_, *step);
      if (!span || span->end <= span->start) continue;
      spans.push_back({step->id, *span});
      if (!timeline::RecordedStep(activities_, step->id)) continue;
      for (auto& [clock, of] : clocks_) {
        of.bounds.Add(span->start, span->end);
        of.times.Add(span->start, span->end);
      }
    }
    for (auto& [clock, of] : clocks_) {
      of.recorded = std::move(of.times).Take();
      if (of.bounds.any()) {
        chart.length = std::max(chart.length, of.bounds.length());
      }
    }
    chart.several_clocks = clocks_.size() > 1;
    for (const auto& [id, span] : spans) {
      const int64_t origin = OriginOf(span);
      chart.marks.push_back({id, util::WrapSub(span.start, origin),
                             util::WrapSub(span.end, origin)});
    }
  }

  // The start of the clock whose range contains this time of a step.
  int64_t OriginOf(const timeline::Interval& span) const {
    for (const auto& [clock, of] : clocks_) {
      if (of.bounds.any() && of.bounds.start() <= span.start &&
          span.end <= of.bounds.end()) {
        return of.bounds.start();
      }
    }
    return span.start;
  }

  void AddDevices(const timeline::StepActivity& activity, LaneChart& chart) {
    std::vector<uint32_t> units;
    for (const timeline::DeviceActivity& device : activity.devices) {
      const OfClock& clock = clocks_[ClockOf(device.unit)];
      chart.devices.push_back({.unit = device.unit,
                               .accelerator = device.accelerator,
                               .origin = clock.bounds.start(),
                               .busy = timeline::Length(device.busy),
                               .work = device.busy,
                               .compute = device.compute,
                               .communication = device.communication,
                               .copies = device.copies,
                               .launches = device.launching,
                               .recorded = clock.recorded});
      units.push_back(device.unit);
    }
    const std::vector<std::string> labels = DeviceLabels(activities_, units);
    for (size_t i = 0; i < labels.size(); ++i) {
      chart.devices[i].name = labels[i];
    }
  }

  // Adds the work of the devices for other steps within the chart.
  void AddOtherSteps(LaneChart& chart) {
    if (step_ == nullptr) return;
    for (const auto everything = activities_.Everything();
         const timeline::DeviceActivity& all : everything->devices) {
      LaneChart::Device* device = DeviceOf(all.unit, chart);
      if (device == nullptr) continue;
      const Bounds& bounds = clocks_[ClockOf(all.unit)].bounds;
      if (!bounds.any()) continue;
      device->other_steps = timeline::Subtract(
          timeline::Intersect(all.busy, {{bounds.start(), bounds.end()}}),
          device->work);
    }
  }

  timeline::Activities& activities_;
  const profile::Step* step_;
  std::vector<const profile::Step*> steps_;  // in the chart
  std::map<uint32_t, OfClock> clocks_;
  std::map<uint32_t, size_t> device_of_;  // by unit
};

// Makes the chart with `fill`, which is called if it has a device.
template <typename Fill>
absl::StatusOr<LaneChart> MakeChart(views::Views& views, int64_t step,
                                    std::string_view device, Fill fill) {
  const profile::Profile& profile = views.profile();
  const profile::Step* one = nullptr;
  if (step >= 0) {
    one = profile.FindStep(step);
  } else if (step != accounting::kAllSteps) {
    const std::vector<timeline::StepWall> walls = timeline::StepWalls(views);
    if (const timeline::StepWall* typical = timeline::TypicalStep(walls))
      one = typical->step;
  }
  LaneChart chart;
  chart.ticks_per_micro = profile.ticks_per_micro();
  chart.step = one == nullptr ? accounting::kAllSteps : one->id;
  Filler filler(views, one);
  absl::Status filled = filler.Fill(device, chart);
  if (!filled.ok()) return filled;
  if (chart.devices.empty() || chart.length <= 0) {
    return absl::FailedPreconditionError(fmt::format(
        "no lanes to show: no execution{} has a start and a duration. They are "
        "in RunMetadata recorded with FULL_TRACE, in ProfileProto files of it, "
        "and in traces; samples and sums have none (`status` says what was "
        "loaded)",
        one == nullptr ? "" : fmt::format(" of step {}", one->id)));
  }
  fill(filler, chart);
  return chart;
}

}  // namespace

absl::StatusOr<LaneChart> MakeLaneChart(views::Views& views, int64_t step,
                                        std::string_view device) {
  return MakeChart(views, step, device, [&](Filler& filler, LaneChart& chart) {
    filler.AddLanes(chart);
    std::vector<LaneChart::Gap*> gaps;
    for (LaneChart::Gap& gap : chart.gaps) gaps.push_back(&gap);
    NameGaps(views, gaps);
  });
}

absl::StatusOr<LaneChart> MakeGapChart(views::Views& views, int64_t step) {
  return MakeChart(views, step, "", [](Filler&, LaneChart&) {});
}

void NameGaps(views::Views& views, std::span<LaneChart::Gap* const> gaps) {
  if (gaps.empty()) return;
  const timeline::Activities& activities = views.Kept<timeline::Activities>();
  const profile::Profile& profile = activities.profile();
  GapNames names(gaps);
  // The execution next to a gap may belong to another step.
  for (const auto& step : profile.steps()) {
    size_t group = 0;
    for (size_t e = 0; e < step->num_records(); ++e) {
      if (activities.work().cancelled()) return;
      const bool outside = e >= step->num_executions();
      while (!outside && step->exec_end(group) <= e) ++group;
      const auto work = activities.SpanAt(*step, e);
      if (!work || !IsShown(activities, *work)) continue;
      names.Add(work->unit, work->time.start, work->time.end, [&] {
        if (outside) {
          return std::string(profile.strings().Get(step->OutsideName(e)));
        }
        const auto node = static_cast<profile::NodeId>(step->node[group]);
        // Calls are named by their type, ops by their node.
        return std::string(profile.lanes()[work->lane].calls_nest
                               ? profile.strings().Get(profile.nodes().op[node])
                               : profile.node_name(node));
      });
    }
  }
}

int64_t SliceStart(const LaneChart& chart, size_t i, size_t n) {
  return static_cast<int64_t>(static_cast<__int128>(chart.length) *
                              static_cast<__int128>(i) /
                              static_cast<__int128>(std::max<size_t>(n, 1)));
}

}  // namespace tfprof::inspect
