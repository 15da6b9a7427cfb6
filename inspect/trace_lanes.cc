// The lanes of a trace: physical devices, ticks.

#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "inspect/lane_chart.h"
#include "timeline/step_wall.h"
#include "timeline/trace_activity.h"

namespace tfprof {
namespace {

class TraceChart {
 public:
  // `step` may be nullptr: everything.
  TraceChart(Views& views, const Step* step)
      : traces_(views.Kept<TraceActivities>()), step_(step) {}

  absl::Status Fill(std::string_view device_name, LaneChart& chart) {
    const auto activity =
        step_ == nullptr ? traces_.Everything() : traces_.Of(*step_);
    AddMarks(chart);
    for (const AcceleratorActivity& device : activity->accelerators) {
      bounds_.Add(device.busy);
    }
    for (const HostActivity& host : activity->hosts) bounds_.Add(host.busy);
    if (!bounds_.any()) return absl::OkStatus();
    chart.length = bounds_.length();
    for (LaneChart::Mark& mark : chart.marks) {
      mark.start = WrapSub(mark.start, bounds_.start());
      mark.end = WrapSub(mark.end, bounds_.start());
    }
    const Intervals whole = {{bounds_.start(), bounds_.end()}};
    for (const AcceleratorActivity& device : activity->accelerators) {
      chart.devices.push_back({.name = traces_.units()[device.unit].name,
                               .unit = device.unit,
                               .accelerator = true,
                               .origin = bounds_.start(),
                               .busy = Length(device.busy),
                               .work = device.busy,
                               .compute = device.compute,
                               .communication = device.communication,
                               .copies = device.copies,
                               .recorded = whole});
    }
    for (const HostActivity& host : activity->hosts) {
      chart.devices.push_back({.name = traces_.units()[host.unit].name,
                               .unit = host.unit,
                               .origin = bounds_.start(),
                               .busy = Length(host.busy),
                               .work = host.busy,
                               .compute = host.busy,
                               .launches = host.launches,
                               .recorded = whole});
    }
    SortDevices(chart);
    if (absl::Status kept = KeepDevice(device_name, chart); !kept.ok()) {
      return kept;
    }
    for (size_t d = 0; d < chart.devices.size(); ++d) {
      device_of_[{chart.devices[d].unit, chart.devices[d].accelerator}] = d;
    }
    AddOtherSteps(chart);
    AddLanes(chart);
    FindGaps(chart);
    NameGaps(chart);
    return absl::OkStatus();
  }

 private:
  // A unit may have both work of an accelerator and of a host. nullptr: the
  // device is not in the chart.
  LaneChart::Device* DeviceOf(uint32_t unit, bool accelerator,
                              LaneChart& chart) const {
    const auto it = device_of_.find({unit, accelerator});
    return it == device_of_.end() ? nullptr : &chart.devices[it->second];
  }

  // Their times become relative later.
  void AddMarks(LaneChart& chart) {
    for (const auto& step : traces_.profile().steps()) {
      if (!step->listed || (step_ != nullptr && step.get() != step_)) continue;
      const std::optional<Interval> span = TraceStepSpan(traces_, *step);
      if (!span || span->end <= span->start) continue;
      chart.marks.push_back({step->id, span->start, span->end});
      bounds_.Add(span->start, span->end);
    }
  }

  // What the devices did for other steps within the chart.
  void AddOtherSteps(LaneChart& chart) {
    if (step_ == nullptr) return;
    const auto everything = traces_.Everything();
    const Intervals whole = {{bounds_.start(), bounds_.end()}};
    const auto add = [&](LaneChart::Device* device, const Intervals& busy) {
      if (device == nullptr) return;
      device->other_steps = Subtract(Intersect(busy, whole), device->work);
    };
    for (const AcceleratorActivity& all : everything->accelerators) {
      add(DeviceOf(all.unit, true, chart), all.busy);
    }
    for (const HostActivity& all : everything->hosts) {
      add(DeviceOf(all.unit, false, chart), all.busy);
    }
  }

  // Calls `use(step, record, work)` for all work in the chart.
  template <typename Use>
  void ForWork(Use use) const {
    for (const auto& step : traces_.profile().steps()) {
      if (step_ != nullptr && step.get() != step_) continue;
      for (size_t e = 0; e < step->num_records(); ++e) {
        const auto work = traces_.WorkAt(*step, e);
        if (work) use(*step, e, *work);
      }
    }
  }

  void AddLanes(LaneChart& chart) {
    struct OfLane {
      uint32_t unit = kNone;
      bool accelerator = false;
      IntervalCollector busy;
    };
    std::vector<std::unique_ptr<OfLane>> lanes(
        traces_.profile().lanes().size());
    ForWork([&](const Step&, size_t, const TraceActivities::Work& work) {
      auto& lane = lanes[work.lane];
      if (lane == nullptr) {
        lane = std::make_unique<OfLane>();
        lane->unit = work.unit;
        lane->accelerator = work.on_accelerator;
      }
      lane->busy.Add(work.time.start, work.time.end);
    });
    for (LaneId id = 0; id < lanes.size(); ++id) {
      if (lanes[id] == nullptr) continue;
      Intervals busy = std::move(lanes[id]->busy).Take();
      LaneChart::Device* const device =
          DeviceOf(lanes[id]->unit, lanes[id]->accelerator, chart);
      lanes[id].reset();
      if (device == nullptr || busy.empty()) continue;
      device->lanes.push_back(
          {.name = LaneName(traces_.profile(), id), .busy = std::move(busy)});
    }
    for (LaneChart::Device& device : chart.devices) SortLanes(device);
  }

  void NameGaps(LaneChart& chart) {
    std::map<std::pair<uint32_t, bool>, GapNames> names;
    for (size_t d = 0; d < chart.devices.size(); ++d) {
      GapNames of_device(chart, d);
      if (of_device.empty()) continue;
      names.emplace(
          std::pair(chart.devices[d].unit, chart.devices[d].accelerator),
          std::move(of_device));
    }
    if (names.empty()) return;
    // What runs beside a gap may be of another step.
    const Profile& profile = traces_.profile();
    for (const auto& step : profile.steps()) {
      size_t group = 0;
      for (size_t e = 0; e < step->num_records(); ++e) {
        const bool outside = e >= step->num_executions();
        while (!outside && step->exec_end(group) <= e) ++group;
        const auto work = traces_.WorkAt(*step, e);
        if (!work) continue;
        const auto it = names.find({work->unit, work->on_accelerator});
        if (it == names.end()) continue;
        it->second.Add(work->time.start, work->time.end, [&] {
          return std::string(profile.strings().Get(
              outside ? step->OutsideName(e)
                      : profile.nodes().op[step->node[group]]));
        });
      }
    }
  }

  TraceActivities& traces_;
  const Step* step_;
  Bounds bounds_;
  // By unit and whether its work is that of an accelerator.
  std::map<std::pair<uint32_t, bool>, size_t> device_of_;
};

}  // namespace

absl::Status FillTraceLanes(Views& views, const Step* step,
                            std::string_view device, LaneChart& chart) {
  return TraceChart(views, step).Fill(device, chart);
}

}  // namespace tfprof
