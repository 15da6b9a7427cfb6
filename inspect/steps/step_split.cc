#include "inspect/steps/step_split.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "inspect/devices/device_labels.h"
#include "timeline/activity.h"
#include "timeline/step_wall.h"

namespace tfprof {

std::vector<DeviceSplit> SplitStep(Views& views, const Step& step) {
  Activities& activities = views.Kept<Activities>();
  const auto activity = activities.Of(step);
  const auto everything = activities.Everything();
  std::vector<DeviceSplit> splits;
  std::vector<uint32_t> units;
  for (const DeviceActivity& device : activity->devices) {
    const Intervals window = StepWindow(activities, step, device.unit);
    const DeviceActivity* all = everything->Find(device.unit);
    splits.push_back({.name = "",
                      .unit = device.unit,
                      .accelerator = device.accelerator,
                      .wall = Length(window),
                      .busy = Length(device.busy),
                      .compute = Length(device.compute),
                      .communication = Length(device.communication),
                      .copies = Length(device.copies),
                      .idle = Length(Subtract(
                          window, all == nullptr ? device.busy : all->busy))});
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

}  // namespace tfprof
