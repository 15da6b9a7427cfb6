#include "inspect/device_figures.h"

#include <memory>
#include <utility>

#include "timeline/activity.h"
#include "timeline/step_wall.h"
#include "timeline/trace_activity.h"
#include "util/arithmetic.h"

namespace tfprof {

DeviceFigures::DeviceFigures(Views& views) : views_(views) {
  if (!IsTrace(views.profile())) return;
  TraceActivities& traces = views.Kept<TraceActivities>();
  for (const auto everything = traces.Everything();
       const AcceleratorActivity& device : everything->accelerators) {
    of_unit_.emplace(device.unit, OfUnit{device.busy, IdleTimeOf(device)});
  }
}

std::vector<DeviceFigure> DeviceFigures::Of(const Step& step) {
  std::vector<DeviceFigure> figures;
  const bool is_trace = IsTrace(views_.profile());
  for (DeviceSplit& split : SplitStep(views_, step)) {
    DeviceFigure& figure = figures.emplace_back();
    figure.split = std::move(split);
    if (is_trace) {
      AddTrace(step, figure);
    } else {
      AddTask(step, figure);
    }
  }
  return figures;
}

void DeviceFigures::AddTrace(const Step& step, DeviceFigure& figure) {
  // Threads of a host only compute.
  if (!figure.split.accelerator) return;
  TraceActivities& traces = views_.Kept<TraceActivities>();
  for (const auto activity = traces.Of(step);
       const AcceleratorActivity& device : activity->accelerators) {
    if (device.unit != figure.split.unit) continue;
    figure.overlap = Length(Intersect(device.compute, device.communication));
  }
  const auto found = of_unit_.find(figure.split.unit);
  const auto span = TraceStepSpan(traces, step);
  if (found == of_unit_.end() || !span || span->length() <= 0) return;
  const Intervals idle = Subtract({*span}, found->second.busy);
  IdleParts& parts = figure.idle.emplace();
  parts.waiting = Length(Intersect(idle, found->second.idle.waiting));
  parts.host_bound = Length(Intersect(idle, found->second.idle.host_bound));
  parts.other = Length(idle) - parts.waiting - parts.host_bound;
}

void DeviceFigures::AddTask(const Step& step, DeviceFigure& figure) {
  const int64_t ticks = views_.profile().ticks_per_micro();
  const auto activity = views_.Kept<Activities>().Of(step);
  for (const TaskActivity& task : activity->tasks) {
    for (const DeviceActivity& of : task.devices) {
      if (of.unit != figure.split.unit) continue;
      const auto length = [&](const Intervals& intervals) {
        return SaturatingMul(Length(intervals), ticks);
      };
      figure.overlap =
          length(Intersect(of.compute.busy, of.communication.busy));
      if (!figure.split.accelerator) return;
      const Intervals idle = Subtract(task.runs, of.Busy());
      IdleParts& parts = figure.idle.emplace();
      parts.host_bound = length(Intersect(idle, of.launches.busy));
      parts.other = std::max<int64_t>(0, figure.split.idle - parts.host_bound);
      return;
    }
  }
}

}  // namespace tfprof
