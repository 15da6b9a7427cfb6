// When the devices ran the steps of a file (loaders/nodes/device_steps.h).
//
// An event of a device is in the step of its launch, or else of its group.
// Times have the unit of the events.

#ifndef TFPROF_LOADERS_XPLANE_DEVICE_STEPS_H_
#define TFPROF_LOADERS_XPLANE_DEVICE_STEPS_H_

#include <span>
#include <vector>

#include "loaders/nodes/device_steps.h"
#include "loaders/xplane/file_steps.h"
#include "loaders/xplane/lines/file_line.h"

namespace tfprof::xplane {

// The spans of the steps.
std::vector<loaders::StepTime> TimesOf(const FileSteps& steps);

// Returns when the devices ran each span of `steps`; empty if the spans are
// what happened. The lines must have their events and FileLine::launch_rows.
std::vector<loaders::StepTime> FindDeviceSteps(std::span<const FileLine> lines,
                                               const FileSteps& steps);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_DEVICE_STEPS_H_
