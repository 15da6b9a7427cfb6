// Metrics of one accelerator: why it was idle, how long its queue was, how long
// launches took, and how communication overlapped with other work.
//
// A run (activity.h) with a known launch is *outstanding* from the start of the
// launching call to its own start, and *in the queue* until its end. A device
// is idle while it has no run in its window, the recorded time from its first
// start to its last end. The idle time has three parts:
//
//   waiting     something was outstanding: the work was launched, and waited
//               for the driver, for the device, or for an event
//   host_bound  nothing was outstanding, and the run that ends the gap was
//               launched in the file, or the host worked for the device
//               (DeviceActivity::launching): the host was late
//   other       nothing was outstanding, and the launch of the run that ends
//               the gap is unknown
//
// The three parts add up to the idle time. Times are ticks of the profile.

#ifndef TFPROF_TIMELINE_DEVICE_METRICS_H_
#define TFPROF_TIMELINE_DEVICE_METRICS_H_

#include <cstdint>

#include "timeline/activity.h"
#include "timeline/intervals.h"

namespace tfprof::timeline {

struct IdleTime {
  Intervals all;
  Intervals waiting;
  Intervals host_bound;
  Intervals other;
};
IdleTime IdleTimeOf(const DeviceActivity& device);

// The queue of runs with a known launch.
struct QueueLength {
  int64_t max = 0;
  // The average over the span of the device; 0 if the span is empty.
  double mean = 0;
};
QueueLength QueueLengthOf(const DeviceActivity& device);

// The time from the start of a launching call to the start of its first run.
// Launches after their run, a result of different clocks, do not count.
struct LaunchLatency {
  int64_t launches = 0;
  int64_t min = 0;
  int64_t median = 0;
  int64_t max = 0;
};
LaunchLatency LaunchLatencyOf(const DeviceActivity& device);

// The sums over runs without a launch in the file.
struct Unlaunched {
  int64_t runs = 0;
  int64_t time = 0;
};
Unlaunched UnlaunchedOf(const DeviceActivity& device);

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_DEVICE_METRICS_H_
