// When the devices ran the steps of a Kineto file.
//
// A host that never waits for its devices launches many steps at once. Its
// ranges ProfilerStep#N then say how fast it launches: they are short until the
// queue of launches is full or a result is read. How long a step takes is what
// the devices say.
//
// Times are nanoseconds as in the file.

#ifndef TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_DEVICE_STEPS_H_
#define TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_DEVICE_STEPS_H_

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "loaders/chrome_json/kineto/events.h"
#include "loaders/chrome_json/kineto/host/steps.h"

namespace tfprof::kineto {

struct DeviceStep {
  // Of the first work that was launched in the step, on the stream with most of
  // the kernels; in the first step, on any.
  int64_t start = 0;
  // That start in the next step. In the last step, the end of its work, less
  // what the work of the others runs beside the next step.
  int64_t end = 0;
};

// Returns when the devices ran each row of `steps`, if much of the work ran
// outside of the step that launched it. Otherwise, if steps are those of an
// engine, or if a step launched nothing, returns nothing: the steps of the host
// are what happened. `launch` has the launch of each device event, or kNone.
std::vector<DeviceStep> FindDeviceSteps(const KinetoEvents& events,
                                        const KinetoSteps& steps,
                                        std::span<const uint32_t> launch);

// How long after the host the devices end a step, at most.
int64_t LongestDelay(const KinetoSteps& steps,
                     std::span<const DeviceStep> device_steps);

// Says that steps are those of the devices, which are so far behind the host.
std::string DeviceStepsText(int64_t delay);

}  // namespace tfprof::kineto

#endif  // TFPROF_LOADERS_CHROME_JSON_KINETO_HOST_DEVICE_STEPS_H_
