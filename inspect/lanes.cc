#include "inspect/lanes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "fmt/format.h"
#include "inspect/device_labels.h"
#include "timeline/activity.h"
#include "timeline/step_wall.h"
#include "timeline/trace_activity.h"
#include "util/arithmetic.h"
#include "util/nearest.h"

namespace tfprof {
namespace {

// The longest gaps that are named.
constexpr size_t kGaps = 10;

// From the earliest to the latest of what was added.
class Bounds {
 public:
  void Add(int64_t start, int64_t end) {
    start_ = any_ ? std::min(start_, start) : start;
    end_ = any_ ? std::max(end_, end) : end;
    any_ = true;
  }
  void Add(const Intervals& sorted) {
    if (!sorted.empty()) Add(sorted.front().start, sorted.back().end);
  }
  bool any() const { return any_; }
  int64_t start() const { return start_; }
  int64_t end() const { return end_; }
  // Times of a damaged file may be further apart than an int64_t can say.
  int64_t length() const {
    const int64_t length = WrapSub(end_, start_);
    return length < 0 ? std::numeric_limits<int64_t>::max() : length;
  }

 private:
  bool any_ = false;
  int64_t start_ = 0;
  int64_t end_ = 0;
};

// The name of a lane beside its device.
std::string LaneName(const Profile& profile, LaneId id) {
  const Lane& lane = profile.lanes()[id];
  if (lane.device != kNone) {
    const std::string_view name = profile.devices().name(lane.device);
    return std::string(name.substr(name.rfind('/') + 1));
  }
  std::string name;
  if (lane.name != kNone) {
    name = profile.strings().Get(lane.name);
  } else if (lane.stream >= 0) {
    name = fmt::format("stream {}", lane.stream);
  } else if (lane.thread >= 0) {
    name = fmt::format("thread {}", lane.thread);
  } else {
    name = fmt::format("lane {}", id);
  }
  // A stream has a lane for each kind of work.
  if (lane.kind == LaneKind::kCopies || lane.kind == LaneKind::kCommunication ||
      lane.kind == LaneKind::kLaunches) {
    name += fmt::format(" {}", LaneKindName(lane.kind));
  }
  return name;
}

void SortLanes(LaneChart::Device& device) {
  std::stable_sort(device.lanes.begin(), device.lanes.end(),
                   [](const LaneChart::Lane& a, const LaneChart::Lane& b) {
                     return Length(a.busy) > Length(b.busy);
                   });
}

void SortDevices(LaneChart& chart) {
  std::stable_sort(chart.devices.begin(), chart.devices.end(),
                   [](const LaneChart::Device& a, const LaneChart::Device& b) {
                     return std::tie(a.accelerator, a.busy) >
                            std::tie(b.accelerator, b.busy);
                   });
}

// Keeps the device of this name, or those whose names end with it.
absl::Status KeepDevice(std::string_view name, LaneChart& chart) {
  if (name.empty() || chart.devices.empty()) return absl::OkStatus();
  const auto ends = [&](std::string_view device) {
    if (!device.ends_with(name) || device.size() == name.size()) return false;
    const char before = device[device.size() - name.size() - 1];
    return before == ' ' || before == '/';
  };
  bool same = false, any = false;
  std::vector<std::string_view> names;
  for (const LaneChart::Device& device : chart.devices) {
    names.push_back(device.name);
    same |= device.name == name;
    any |= device.name == name || ends(device.name);
  }
  if (!any) {
    return absl::NotFoundError(
        fmt::format("no device {} that did anything{}", name,
                    NearHint(name, names)));
  }
  std::erase_if(chart.devices, [&](const LaneChart::Device& device) {
    return device.name != name && (same || !ends(device.name));
  });
  return absl::OkStatus();
}

// ---- Gaps.

// The longest gaps of the devices that matter.
void FindGaps(LaneChart& chart) {
  const bool has_accelerators =
      !chart.devices.empty() && chart.devices[0].accelerator;
  const auto longer = [](const LaneChart::Gap& a, const LaneChart::Gap& b) {
    return a.length > b.length;
  };
  for (size_t d = 0; d < chart.devices.size(); ++d) {
    const LaneChart::Device& device = chart.devices[d];
    if (device.accelerator != has_accelerators) continue;
    const Intervals idle =
        Subtract(Subtract(device.recorded, device.work), device.other_steps);
    chart.num_gaps += idle.size();
    for (const Interval& gap : idle) {
      chart.gaps.push_back({.device = d,
                            .start = WrapSub(gap.start, device.origin),
                            .length = gap.length()});
      if (chart.gaps.size() < 16 * kGaps) continue;
      std::nth_element(chart.gaps.begin(), chart.gaps.begin() + kGaps,
                       chart.gaps.end(), longer);
      chart.gaps.resize(kGaps);
    }
  }
  std::stable_sort(chart.gaps.begin(), chart.gaps.end(), longer);
  if (chart.gaps.size() > kGaps) chart.gaps.resize(kGaps);
}

// The names beside the gaps of a device. Asked with each execution of it.
class GapNames {
 public:
  GapNames(LaneChart& chart, size_t device) {
    for (LaneChart::Gap& gap : chart.gaps) {
      if (gap.device == device) gaps_.push_back({.gap = &gap});
    }
    origin_ = chart.devices[device].origin;
  }
  bool empty() const { return gaps_.empty(); }

  // `name` gives the name of the execution.
  template <typename Name>
  void Add(int64_t start, int64_t end, Name name) {
    for (Sides& sides : gaps_) {
      const int64_t begin = WrapAdd(origin_, sides.gap->start);
      const int64_t finish = WrapAdd(begin, sides.gap->length);
      if (end == begin && end - start > sides.before) {
        sides.before = end - start;
        sides.gap->before = name();
      }
      if (start == finish && end - start > sides.after) {
        sides.after = end - start;
        sides.gap->after = name();
      }
    }
  }

 private:
  struct Sides {
    LaneChart::Gap* gap = nullptr;
    int64_t before = 0;  // the length of what is named
    int64_t after = 0;
  };
  std::vector<Sides> gaps_;
  int64_t origin_ = 0;
};

// ---- TensorFlow 1: device names, microseconds.

class TaskChart {
 public:
  TaskChart(Views& views, std::vector<const Step*> steps)
      : activities_(views.Kept<Activities>()), steps_(std::move(steps)) {}

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
        names.Add(run.start, run.end, [&] {
          return std::string(activities_.Name(step, run));
        });
      }
    }
  }

  Activities& activities_;
  std::vector<const Step*> steps_;
  std::map<uint32_t, int64_t> origin_;  // by task
  std::map<uint32_t, Unit> units_;
};

// ---- Traces: physical devices, ticks.

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
    std::vector<std::unique_ptr<OfLane>> lanes(traces_.profile().lanes().size());
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
    filled = TraceChart(views, one).Fill(device, chart);
  } else {
    std::vector<const Step*> steps;
    for (const auto& s : profile.steps()) {
      if (one == nullptr || s.get() == one) steps.push_back(s.get());
    }
    filled = TaskChart(views, std::move(steps)).Fill(device, chart);
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
