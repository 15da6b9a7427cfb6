// Short names of devices: "gpu:0" where one task has all devices, else
// "worker/1 gpu:0".

#ifndef TFPROF_INSPECT_DEVICE_LABELS_H_
#define TFPROF_INSPECT_DEVICE_LABELS_H_

#include <string>
#include <vector>

#include "advisor/device_roles.h"

namespace tfprof {

// By unit of `roles`.
std::vector<std::string> DeviceLabels(const DeviceRoles& roles);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_DEVICE_LABELS_H_
