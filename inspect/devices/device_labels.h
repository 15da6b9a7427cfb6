// Short names of devices. A name that is a path
// ("/job:worker/task:1/device:gpu:0") becomes "gpu:0" if one process has all
// devices, else "worker/1 gpu:0". Other names are not changed.

#ifndef TFPROF_INSPECT_DEVICES_DEVICE_LABELS_H_
#define TFPROF_INSPECT_DEVICES_DEVICE_LABELS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "timeline/activity.h"

namespace tfprof::inspect {

// The labels of these units, in the same order. Equal labels are replaced by
// full names.
std::vector<std::string> DeviceLabels(const timeline::Activities& activities,
                                      std::span<const uint32_t> units);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_DEVICE_LABELS_H_
