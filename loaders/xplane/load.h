// Loads .xplane.pb files: the profiles of TensorFlow 2, JAX and PyTorch/XLA on
// CPUs, GPUs and TPUs. g3doc/formats/xplane.md describes how the parts of a
// file become parts of a profile.

#ifndef TFPROF_LOADERS_XPLANE_LOAD_H_
#define TFPROF_LOADERS_XPLANE_LOAD_H_

#include <span>

#include "absl/status/status.h"
#include "loaders/core/format.h"
#include "loaders/core/load_context.h"

namespace tfprof::xplane {

// All times are in picoseconds.
inline constexpr int64_t kXPlaneTicksPerMicro = 1'000'000;

// Adds the files, which are processes of one run. Damage is in the log.
absl::Status LoadXPlanes(std::span<const loaders::FormatFile> files,
                         loaders::LoadContext& context);

}  // namespace tfprof::xplane

#endif  // TFPROF_LOADERS_XPLANE_LOAD_H_
