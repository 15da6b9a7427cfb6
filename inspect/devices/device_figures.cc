#include "inspect/devices/device_figures.h"

#include <memory>
#include <utility>

#include "timeline/account/step_wall.h"
#include "timeline/activity.h"
#include "util/arithmetic.h"

namespace tfprof::inspect {

DeviceFigures::DeviceFigures(views::Views& views) : views_(views) {
  for (const auto everything = views.Kept<timeline::Activities>().Everything();
       const timeline::DeviceActivity& device : everything->devices) {
    if (!device.accelerator || views.work().cancelled()) continue;
    of_unit_.emplace(device.unit,
                     OfUnit{device.busy, timeline::IdleTimeOf(device)});
  }
}

std::vector<DeviceFigure> DeviceFigures::Of(const profile::Step& step) {
  std::vector<DeviceFigure> figures;
  timeline::Activities& activities = views_.Kept<timeline::Activities>();
  const auto activity = activities.Of(step);
  for (DeviceSplit& split : SplitStep(views_, step)) {
    const timeline::DeviceActivity* device = activity->Find(split.unit);
    if (device == nullptr) continue;  // cancelled
    DeviceFigure& figure = figures.emplace_back();
    figure.split = std::move(split);
    figure.overlap = timeline::Length(
        timeline::Intersect(device->compute, device->communication));
    const auto found = of_unit_.find(figure.split.unit);
    if (found == of_unit_.end()) continue;
    const timeline::Intervals window =
        timeline::StepWindow(activities, step, figure.split.unit);
    if (window.empty()) continue;
    const timeline::Intervals idle =
        timeline::Subtract(window, found->second.busy);
    const timeline::IdleTime& causes = found->second.idle;
    const timeline::Intervals not_waiting =
        timeline::Subtract(idle, causes.waiting);
    IdleParts& parts = figure.idle.emplace();
    parts.waiting = timeline::Length(timeline::Intersect(idle, causes.waiting));
    // The host may work for a device before the device's first run.
    parts.host_bound = timeline::Length(
        timeline::Union(timeline::Intersect(not_waiting, causes.host_bound),
                        timeline::Intersect(not_waiting, device->launching)));
    parts.other = timeline::Length(idle) - parts.waiting - parts.host_bound;
  }
  return figures;
}

}  // namespace tfprof::inspect
