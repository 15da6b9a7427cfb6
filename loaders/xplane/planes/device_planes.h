// Interprets the names of planes and of their lines, and reads the capabilities
// of a device from its plane.

#ifndef TFPROF_LOADERS_XPLANE_PLANES_DEVICE_PLANES_H_
#define TFPROF_LOADERS_XPLANE_PLANES_DEVICE_PLANES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "loaders/xplane/planes/xspace.h"
#include "profile/tables/lanes.h"
#include "profile/transfer.h"

namespace tfprof::xplane {

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

// Returns "gpu:0" for "/device:GPU:0", and "tpu:0 sparsecore 1" for
// "/device:TPU:0 SparseCore 1".
std::string DeviceLabel(std::string_view plane_name);

enum class LineUse : uint8_t {
  kThread,   // of a host: its events nest
  kLaunch,   // a thread in which a driver starts kernels
  kStream,   // of a GPU: its kernels may overlap
  kXlaOps,   // of a TPU: what its core executes
  kAsync,    // copies beside the ops of a TPU; they overlap
  kFacts,    // repeats other lines or differs: not summed
  kSteps,    // the intervals of steps
  kDerived,  // derived from other lines by the recorder: skipped
};

LineUse UseOfLine(PlaneKind plane, std::string_view line_name);

// Returns the number in "Stream #12(Kernel)", or Lane::kUnnumberedStream.
int64_t StreamNumber(std::string_view line_name);

// Returns the thread of "tf_Compute/1105654971", else `id`.
int64_t ThreadNumber(std::string_view line_name, int64_t id);

// Interpret names like "MemcpyH2D". Only copies and sets of memory have a kind.
bool IsCopyName(std::string_view event_name);
profile::CopyKind CopyKindOf(std::string_view event_name);

// Reads kind, model, peaks and memory of a device, if its plane has them.
void ReadCapabilities(const XPlane& plane, profile::PhysicalDevice& device);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_PLANES_DEVICE_PLANES_H_
