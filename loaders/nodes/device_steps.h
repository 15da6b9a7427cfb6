// When the devices ran the steps of a file.
//
// A host that never waits for its devices launches many steps at once. Its
// ranges (ProfilerStep#N of PyTorch, StepTraceAnnotation of JAX) then say how
// fast it launches: they are short until the queue of launches is full or a
// result is read. How long a step takes is what the devices say.
//
// All times of a call have one unit.

#ifndef TFPROF_LOADERS_NODES_DEVICE_STEPS_H_
#define TFPROF_LOADERS_NODES_DEVICE_STEPS_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/core/import_log.h"
#include "profile/tables/string_pool.h"

namespace tfprof::loaders {

struct StepTime {
  int64_t start = 0;
  int64_t end = 0;
};

// Some work of a stream of a device.
struct WorkLane {
  int64_t device = 0;
  int64_t stream = 0;
  bool computes = false;  // it is kernels that do not communicate
};

// A run on a device.
struct LaunchedWork {
  int64_t start = 0;
  int64_t end = 0;
  uint32_t step = profile::kNone;  // the row of the step that launched it
  uint32_t lane = 0;
};

// If this share of the work runs in the step that launched it, the steps of the
// host say when it ran. A host that reads a result in every second step has
// about half of it there.
inline constexpr double kInsideSteps = 0.7;

// Returns when the devices ran each row of `steps`, which are the ranges of the
// host in the order of their starts, if much of the work ran outside of the
// range that launched it. A step begins with the first work that it launched on
// the stream with most of the computation. The first step begins with any work
// or, if no other work ran before, with the range of the host. A step
// ends where the next one begins; the last one ends with its work, less what
// the work of the others runs beside the next step.
//
// Returns nothing if the ranges of the host have most of the work, or if one of
// them launched nothing: they are what happened.
std::vector<StepTime> FindDeviceSteps(std::span<const StepTime> steps,
                                      std::span<const LaunchedWork> work,
                                      std::span<const WorkLane> lanes);

// The files whose steps are those of the devices.
struct HostsAhead {
  std::string path;  // of the first file
  int64_t files = 0;
  int64_t delay = 0;  // how long after a host its devices end a step, at most

  void Add(std::string_view file, std::span<const StepTime> steps,
           std::span<const StepTime> device_steps);
  // Says so in one line: a job may have thousands of files. `per_milli` is the
  // unit of times.
  void Log(double per_milli, ImportLog& log) const;
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_NODES_DEVICE_STEPS_H_
