#include "inspect/steps/step_split.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "inspect/devices/device_labels.h"
#include "timeline/account/step_wall.h"
#include "timeline/activity.h"

namespace tfprof::inspect {

std::vector<DeviceSplit> SplitStep(views::Views& views,
                                   const profile::Step& step) {
  timeline::Activities& activities = views.Kept<timeline::Activities>();
  const auto activity = activities.Of(step);
  const auto everything = activities.Everything();
  std::vector<DeviceSplit> splits;
  std::vector<uint32_t> units;
  for (const timeline::DeviceActivity& device : activity->devices) {
    const timeline::Intervals window =
        timeline::StepWindow(activities, step, device.unit);
    const timeline::DeviceActivity* found = everything->Find(device.unit);
    const timeline::DeviceActivity& all = found == nullptr ? device : *found;
    const auto inside = [&](const timeline::Intervals& work) {
      return timeline::Length(timeline::Intersect(window, work));
    };
    splits.push_back(
        {.name = "",
         .unit = device.unit,
         .accelerator = device.accelerator,
         .wall = timeline::Length(window),
         .busy = inside(all.busy),
         .compute = inside(all.compute),
         .communication = inside(all.communication),
         .copies = inside(all.copies),
         .idle = timeline::Length(timeline::Subtract(window, all.busy))});
    units.push_back(device.unit);
  }
  const std::vector<std::string> labels = DeviceLabels(activities, units);
  for (size_t i = 0; i < splits.size(); ++i) splits[i].name = labels[i];
  std::stable_sort(splits.begin(), splits.end(),
                   [](const DeviceSplit& a, const DeviceSplit& b) {
                     return std::tie(a.accelerator, a.busy) >
                            std::tie(b.accelerator, b.busy);
                   });
  return splits;
}

}  // namespace tfprof::inspect
