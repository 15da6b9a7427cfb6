// Classifies the threads of a chrome trace by the names that tracers give to
// processes and threads.
//
//   process "/device:GPU:0/stream:13 Compute"   TensorFlow 1: one stream
//   process "/device:GPU:0/stream:all Compute"  all of them again
//   process "/job:…/device:GPU:0 Compute"       the host's launches for it
//   process "/device:GPU:0", thread "Stream #13(Kernel)", "XLA Ops"
//                                               TensorFlow 2, JAX
//   anything else                               a thread of the host

#ifndef TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_LANES_H_
#define TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_LANES_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "profile/tables/lanes.h"

namespace tfprof::chrome_json {

struct LaneRole {
  profile::LaneKind kind = profile::LaneKind::kCompute;
  std::string device = "cpu:0";  // label
  std::string device_kind = "";  // "": the first part of the label
  int64_t stream = profile::Lane::kNoStream;
  // Used with kind kOther: the lane repeats the streams of its device. If the
  // file has no stream of the device, the lane has this kind instead.
  profile::LaneKind without_streams = profile::LaneKind::kOther;
  // The process is named after a device. All devices of a file share one
  // process.
  bool device_name = false;
};

LaneRole RoleOfLane(std::string_view process, std::string_view thread);

// Returns the role of a thread with work of this kind in a timeline that tfprof
// wrote: "gpu:0 stream 7 copies".
LaneRole RoleOfTimeline(profile::LaneKind kind, std::string_view thread);

// Sets the final kind of lanes that repeat the streams of their device, if the
// device has no stream among `roles`.
void ResolveRoles(std::span<LaneRole> roles);

// Returns "gpu" for "gpu:0".
std::string_view DeviceKind(std::string_view label);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_CHROME_CHROME_LANES_H_
