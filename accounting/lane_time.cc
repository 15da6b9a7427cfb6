#include "accounting/lane_time.h"

namespace tfprof::accounting {

TimeKind TimeKindOf(const profile::Device& device) {
  if (device.accelerator_stream) return TimeKind::kAccelerator;
  return device.canonical ? TimeKind::kCpu : TimeKind::kNothing;
}

TimeKind TimeKindOf(profile::LaneKind kind) {
  switch (kind) {
    case profile::LaneKind::kKernels:
    case profile::LaneKind::kCopies:
    case profile::LaneKind::kCommunication:
      return TimeKind::kAccelerator;
    case profile::LaneKind::kCompute:
    case profile::LaneKind::kLaunches:
    case profile::LaneKind::kPython:
      return TimeKind::kCpu;
    case profile::LaneKind::kAnnotation:
    case profile::LaneKind::kOther:
      break;
  }
  return TimeKind::kNothing;
}

TimeKind TimeKindOf(const profile::GraphTables& graph, profile::LaneId lane) {
  if (lane >= graph.lanes.size()) return TimeKind::kNothing;
  if (graph.self_times) return TimeKindOf(graph.lanes[lane].kind);
  const profile::DeviceId device = graph.lanes[lane].device;
  return device == profile::kNone ? TimeKind::kNothing
                                  : TimeKindOf(graph.devices[device]);
}

}  // namespace tfprof::accounting
