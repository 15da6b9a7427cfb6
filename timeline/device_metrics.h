// Numbers about one accelerator: why it was idle, how much work was
// in its queue, how long launches took, how communication overlapped.
//
// A run (activity.h) whose launch is known is *outstanding* from the
// start of the launching call to its own start, and *in the queue* until its
// end. A device is idle in its window, which is what was recorded from its
// first start to its last end, when no run is there. The idle time has three
// parts:
//
//   waiting     something was outstanding: the work was launched, and waited
//               for the driver, for the device, or for an event
//   host_bound  nothing was outstanding, and the run that ends the gap was
//               launched in the file, or the host worked for the device
//               (DeviceActivity::launching): the host was late
//   other       nothing was outstanding, and it is not known when the run that
//               ends the gap was launched
//
// The three add up to the idle time. Ticks of the profile.

#ifndef TFPROF_TIMELINE_DEVICE_METRICS_H_
#define TFPROF_TIMELINE_DEVICE_METRICS_H_

#include <cstdint>

#include "timeline/activity.h"
#include "timeline/intervals.h"

namespace tfprof {

struct IdleTime {
  Intervals all;
  Intervals waiting;
  Intervals host_bound;
  Intervals other;
};
IdleTime IdleTimeOf(const DeviceActivity& device);

// Of the runs whose launch is known.
struct QueueLength {
  int64_t max = 0;
  // The average over the span of the device; 0 if the span is empty.
  double mean = 0;
};
QueueLength QueueLengthOf(const DeviceActivity& device);

// From the start of a launching call to the start of the first of its runs.
// Not of launches after their run, as clocks that differ make them.
struct LaunchLatency {
  int64_t launches = 0;
  int64_t min = 0;
  int64_t median = 0;
  int64_t max = 0;
};
LaunchLatency LaunchLatencyOf(const DeviceActivity& device);

// The sums of runs without a launch in the file.
struct Unlaunched {
  int64_t runs = 0;
  int64_t time = 0;
};
Unlaunched UnlaunchedOf(const DeviceActivity& device);

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_DEVICE_METRICS_H_
