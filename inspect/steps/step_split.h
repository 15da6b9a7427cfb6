// The split of a step: the work of each device in the wall time of the step.
//
// The wall time is StepWindow() (timeline/account/step_wall.h). Busy is the
// part of it in which something ran on the device, idle the rest: they add up
// to the wall time. Work counts where it ran, whichever step it belongs to.
// Compute, communication and copies are unions, too, and may overlap each
// other. The host's launches for an accelerator do not count as its work. For a
// host with nested calls, compute is everything that its threads ran; it is
// busy for longer if its Python functions were recorded (activity.h).
//
// Times are ticks of the profile.

#ifndef TFPROF_INSPECT_STEPS_STEP_SPLIT_H_
#define TFPROF_INSPECT_STEPS_STEP_SPLIT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "views/views.h"

namespace tfprof::inspect {

struct DeviceSplit {
  std::string name;   // "gpu:0", "worker/1 cpu:0", "rank 1 gpu:0"
  uint32_t unit = 0;  // in Activities::units()
  bool accelerator = false;
  int64_t wall = 0;
  int64_t busy = 0;
  int64_t compute = 0;
  int64_t communication = 0;
  int64_t copies = 0;
  int64_t idle = 0;
};

// The devices that did something, accelerators first, each kind sorted from the
// busiest down.
std::vector<DeviceSplit> SplitStep(views::Views& views,
                                   const profile::Step& step);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_STEPS_STEP_SPLIT_H_
