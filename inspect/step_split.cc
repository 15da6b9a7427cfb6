#include "inspect/step_split.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "inspect/device_labels.h"
#include "timeline/activity.h"
#include "timeline/step_wall.h"
#include "timeline/trace_activity.h"
#include "util/arithmetic.h"

namespace tfprof {
namespace {

std::vector<DeviceSplit> SplitTasks(Views& views, const Step& step) {
  Activities& activities = views.Kept<Activities>();
  const int64_t ticks = views.profile().ticks_per_micro();
  const auto activity = activities.Of(step);
  const std::optional<Interval> recorded =
      RecordedTaskStep(views.profile(), step.id);
  std::vector<DeviceSplit> splits;
  std::vector<size_t> units;
  for (const TaskActivity& task : activity->tasks) {
    const Intervals walls = recorded ? Intervals{*recorded} : task.runs;
    for (const DeviceActivity& device : task.devices) {
      const auto time = [&](const Intervals& intervals) {
        return SaturatingMul(Micros(intervals), ticks);
      };
      const Intervals busy = device.Busy();
      splits.push_back({.name = "",
                        .unit = device.unit,
                        .accelerator = device.accelerator,
                        .wall = time(walls),
                        .busy = time(busy),
                        .compute = time(device.compute.busy),
                        .communication = time(device.communication.busy),
                        .copies = time(device.copies.busy),
                        .idle = time(Subtract(walls, busy))});
      units.push_back(device.unit);
    }
  }
  const std::vector<std::string> labels =
      DeviceLabels(activities.roles(), units);
  for (size_t i = 0; i < splits.size(); ++i) splits[i].name = labels[i];
  return splits;
}

// The part of `span` in which nothing of `busy` runs.
int64_t IdleIn(const Interval& span, const Intervals& busy) {
  return span.length() - Overlap(busy).Length(span.start, span.end);
}

std::vector<DeviceSplit> SplitTrace(Views& views, const Step& step) {
  TraceActivities& traces = views.Kept<TraceActivities>();
  const auto activity = traces.Of(step);
  const auto everything = traces.Everything();
  const Interval span = TraceStepSpan(traces, step).value_or(Interval());
  std::vector<DeviceSplit> splits;
  for (const AcceleratorActivity& device : activity->accelerators) {
    DeviceSplit split = {.name = traces.units()[device.unit].name,
                         .unit = device.unit,
                         .accelerator = true,
                         .wall = span.length(),
                         .busy = Length(device.busy),
                         .compute = Length(device.compute),
                         .communication = Length(device.communication),
                         .copies = Length(device.copies)};
    for (const AcceleratorActivity& all : everything->accelerators) {
      if (all.unit == device.unit) split.idle = IdleIn(span, all.busy);
    }
    splits.push_back(std::move(split));
  }
  for (const HostActivity& host : activity->hosts) {
    DeviceSplit split = {.name = traces.units()[host.unit].name,
                         .unit = host.unit,
                         .wall = span.length(),
                         .busy = Length(host.busy),
                         .compute = Length(host.busy)};
    for (const HostActivity& all : everything->hosts) {
      if (all.unit == host.unit) split.idle = IdleIn(span, all.busy);
    }
    splits.push_back(std::move(split));
  }
  return splits;
}

}  // namespace

std::vector<DeviceSplit> SplitStep(Views& views, const Step& step) {
  std::vector<DeviceSplit> splits = IsTrace(views.profile())
                                        ? SplitTrace(views, step)
                                        : SplitTasks(views, step);
  std::stable_sort(splits.begin(), splits.end(),
                   [](const DeviceSplit& a, const DeviceSplit& b) {
                     return std::tie(a.accelerator, a.busy) >
                            std::tie(b.accelerator, b.busy);
                   });
  return splits;
}

}  // namespace tfprof
