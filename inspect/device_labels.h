// Short names of devices: "gpu:0" if one task has all devices, else "worker/1
// gpu:0".

#ifndef TFPROF_INSPECT_DEVICE_LABELS_H_
#define TFPROF_INSPECT_DEVICE_LABELS_H_

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "timeline/device_roles.h"

namespace tfprof {

// The labels of these units of `roles`, in the same order. Equal labels become
// names in full.
std::vector<std::string> DeviceLabels(const DeviceRoles& roles,
                                      std::span<const size_t> units);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_DEVICE_LABELS_H_
