#include "inspect/devices/device_figures.h"

#include <memory>
#include <utility>

#include "timeline/activity.h"
#include "timeline/step_wall.h"
#include "util/arithmetic.h"

namespace tfprof {

DeviceFigures::DeviceFigures(Views& views) : views_(views) {
  for (const auto everything = views.Kept<Activities>().Everything();
       const DeviceActivity& device : everything->devices) {
    if (!device.accelerator) continue;
    of_unit_.emplace(device.unit, OfUnit{device.busy, IdleTimeOf(device)});
  }
}

std::vector<DeviceFigure> DeviceFigures::Of(const Step& step) {
  std::vector<DeviceFigure> figures;
  Activities& activities = views_.Kept<Activities>();
  const auto activity = activities.Of(step);
  for (DeviceSplit& split : SplitStep(views_, step)) {
    DeviceFigure& figure = figures.emplace_back();
    figure.split = std::move(split);
    const DeviceActivity& device = *activity->Find(figure.split.unit);
    figure.overlap = Length(Intersect(device.compute, device.communication));
    const auto found = of_unit_.find(figure.split.unit);
    if (found == of_unit_.end()) continue;
    const Intervals window = StepWindow(activities, step, figure.split.unit);
    if (window.empty()) continue;
    const Intervals idle = Subtract(window, found->second.busy);
    const IdleTime& causes = found->second.idle;
    IdleParts& parts = figure.idle.emplace();
    parts.waiting = Length(Intersect(idle, causes.waiting));
    // The host may work for a device before the device's first run.
    parts.host_bound =
        Length(Intersect(Subtract(idle, causes.waiting),
                         Union(causes.host_bound, device.launching)));
    parts.other = Length(idle) - parts.waiting - parts.host_bound;
  }
  return figures;
}

}  // namespace tfprof
