// The lanes of TensorFlow 1: device names, microseconds.

#include <map>
#include <utility>

#include "inspect/device_labels.h"
#include "inspect/lane_chart.h"
#include "timeline/activity.h"
#include "timeline/intervals.h"

namespace tfprof {
namespace {

class TaskChart {
 public:
  TaskChart(Views& views, const std::vector<const Step*>& steps)
      : activities_(views.Kept<Activities>()), steps_(steps) {}

  absl::Status Fill(std::string_view device, LaneChart& chart) {
    FindOrigins(chart);
    for (const Step* step : steps_) AddStep(*step, chart);
    std::vector<size_t> units;
    for (auto& [unit, of_unit] : units_) {
      Finish(of_unit);
      chart.devices.push_back(std::move(of_unit.device));
      units.push_back(unit);
    }
    const std::vector<std::string> labels =
        DeviceLabels(activities_.roles(), units);
    for (size_t i = 0; i < labels.size(); ++i) {
      chart.devices[i].name = labels[i];
    }
    SortDevices(chart);
    if (absl::Status kept = KeepDevice(device, chart); !kept.ok()) return kept;
    FindGaps(chart);
    NameGaps(chart);
    return absl::OkStatus();
  }

 private:
  struct Unit {
    LaneChart::Device device;
    UnionOfMany work, compute, communication, copies, launches, recorded;
    std::map<LaneId, UnionOfMany> lanes;
  };

  void FindOrigins(LaneChart& chart) {
    std::map<uint32_t, Bounds> bounds;
    for (const Step* step : steps_) {
      const auto activity = activities_.Of(*step);
      for (const TaskActivity& task : activity->tasks) {
        bounds[task.task].Add(task.runs);
        for (const DeviceActivity& device : task.devices) {
          bounds[task.task].Add(device.launches.busy);
        }
      }
    }
    for (const auto& [task, of_task] : bounds) {
      origin_[task] = of_task.start();
      chart.length = std::max(chart.length, of_task.length());
    }
    chart.several_clocks = bounds.size() > 1;
  }

  void AddStep(const Step& step, LaneChart& chart) {
    const auto activity = activities_.Of(step);
    Bounds mark;
    for (const TaskActivity& task : activity->tasks) {
      if (!task.runs.empty()) {
        mark.Add(WrapSub(task.runs.front().start, origin_[task.task]),
                 WrapSub(task.runs.back().end, origin_[task.task]));
      }
      for (const DeviceActivity& device : task.devices) {
        Unit& unit = units_[device.unit];
        unit.device.unit = device.unit;
        unit.device.accelerator = device.accelerator;
        unit.recorded.Add(task.runs);
        unit.device.origin = origin_[task.task];
        const Intervals busy = device.Busy();
        unit.device.busy = WrapAdd(unit.device.busy, Micros(busy));
        unit.work.Add(busy);
        unit.compute.Add(device.compute.busy);
        unit.communication.Add(device.communication.busy);
        unit.copies.Add(device.copies.busy);
        unit.launches.Add(device.launches.busy);
        AddLanes(step, device, unit);
      }
    }
    if (mark.any() && step.listed) {
      chart.marks.push_back({step.id, mark.start(), mark.end()});
    }
  }

  void AddLanes(const Step& step, const DeviceActivity& device, Unit& unit) {
    std::map<LaneId, Intervals> lanes;
    for (const Track* track :
         {&device.compute, &device.communication, &device.copies}) {
      for (const Run& run : track->runs) {
        AddInterval(lanes[step.LaneOf(run.record)], run.start, run.end);
      }
      for (auto& [lane, busy] : lanes) {
        unit.lanes[lane].Add(std::exchange(busy, {}));
      }
    }
  }

  void Finish(Unit& unit) const {
    LaneChart::Device& device = unit.device;
    device.work = std::move(unit.work).Take();
    device.compute = std::move(unit.compute).Take();
    device.communication = std::move(unit.communication).Take();
    device.copies = std::move(unit.copies).Take();
    device.launches = std::move(unit.launches).Take();
    device.recorded = std::move(unit.recorded).Take();
    for (auto& [lane, busy] : unit.lanes) {
      device.lanes.push_back({.name = LaneName(activities_.profile(), lane),
                              .busy = std::move(busy).Take()});
    }
    SortLanes(device);
  }

  void NameGaps(LaneChart& chart) {
    for (size_t d = 0; d < chart.devices.size(); ++d) {
      GapNames names(chart, d);
      if (names.empty()) continue;
      for (const Step* step : steps_) {
        const auto activity = activities_.Of(*step);
        for (const TaskActivity& task : activity->tasks) {
          for (const DeviceActivity& device : task.devices) {
            if (device.unit == chart.devices[d].unit) {
              AddNames(*step, device, names);
            }
          }
        }
      }
    }
  }

  void AddNames(const Step& step, const DeviceActivity& device,
                GapNames& names) const {
    for (const Track* track :
         {&device.compute, &device.communication, &device.copies}) {
      for (const Run& run : track->runs) {
        names.Add(run.start, run.end,
                  [&] { return std::string(activities_.Name(step, run)); });
      }
    }
  }

  Activities& activities_;
  const std::vector<const Step*>& steps_;
  std::map<uint32_t, int64_t> origin_;  // by task
  std::map<uint32_t, Unit> units_;
};

}  // namespace

absl::Status FillTaskLanes(Views& views, const std::vector<const Step*>& steps,
                           std::string_view device, LaneChart& chart) {
  return TaskChart(views, steps).Fill(device, chart);
}

}  // namespace tfprof
