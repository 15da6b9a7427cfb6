// When the devices ran the steps of a Kineto file
// (loaders/nodes/device_steps.h).
//
// Times are nanoseconds as in the file.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_DEVICE_STEPS_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_DEVICE_STEPS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"
#include "loaders/chrome_json/kineto/host/steps.h"
#include "loaders/nodes/device_steps.h"

namespace tfprof::kineto {

// The ranges of the host.
std::vector<loaders::StepTime> HostSteps(const KinetoSteps& steps);

// Returns when the devices ran each row of `steps`; empty if the ranges of the
// host are what happened, as those of an engine always are. `launch` has the
// launch of each device event, or kNone.
std::vector<loaders::StepTime> FindDeviceSteps(
    const KinetoEvents& events, const KinetoSteps& steps,
    std::span<const uint32_t> launch);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_DEVICE_STEPS_H_
