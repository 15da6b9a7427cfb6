// What the names of planes and of their lines say, and what a device plane says
// about its device.

#ifndef TFPROF_LOADERS_XPLANE_DEVICE_PLANES_H_
#define TFPROF_LOADERS_XPLANE_DEVICE_PLANES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "loaders/xplane/xspace.h"
#include "profile/lanes.h"
#include "profile/transfer.h"

namespace tfprof {

enum class PlaneKind : uint8_t {
  kHost,         // threads: "/host:CPU", "/host:python-tracer"
  kDriver,       // calls of a driver: "/host:CUPTI"
  kGpu,          // "/device:GPU:0"
  kTpu,          // "/device:TPU:0", its sparse cores
  kCustom,       // "/device:CUSTOM:…"
  kMetadata,     // "/host:metadata": compiled programs
  kEnvironment,  // "Task Environment"
};

PlaneKind KindOfPlane(std::string_view name);

// "gpu:0" of "/device:GPU:0", "tpu:0 sparsecore 1" of "/device:TPU:0 SparseCore
// 1".
std::string DeviceLabel(std::string_view plane_name);

enum class LineUse : uint8_t {
  kThread,   // of a host: its events nest
  kLaunch,   // a thread in which a driver starts kernels
  kStream,   // of a GPU: its kernels may overlap
  kXlaOps,   // of a TPU: what its core executes
  kAsync,    // copies beside the ops of a TPU, which overlap each other
  kFacts,    // repeats other lines, or has another meaning: in no sum
  kSteps,    // the intervals of steps
  kDerived,  // computed from other lines by the recorder: left out
};

LineUse UseOfLine(PlaneKind plane, std::string_view line_name);

// The number in "Stream #12(Kernel)"; Lane::kUnnumberedStream: none.
int64_t StreamNumber(std::string_view line_name);

// The thread of "tf_Compute/1105654971"; else `id`.
int64_t ThreadNumber(std::string_view line_name, int64_t id);

// The direction of "MemcpyH2D"; nothing but copies and sets of memory have one.
bool IsCopyName(std::string_view event_name);
CopyKind CopyKindOf(std::string_view event_name);

// Kind, model, peaks and memory of a device, as far as its plane says them.
void ReadCapabilities(const XPlane& plane, PhysicalDevice& device);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_XPLANE_DEVICE_PLANES_H_
