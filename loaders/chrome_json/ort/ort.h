// Loads profiles of ONNX Runtime, versions 1.9 to today.
//
// A step is one model_run; the first one is step 0, the warm-up. Events outside
// of model runs, such as session_initialization, are in no step. A node is an
// operation of the graph (ort_nodes.h) or a part of a session ("session/…"),
// whose self time is the work of the framework. Operations of a GPU provider
// are on the host's lane for launches, and their kernels count as accelerator
// time of the operation.
//
// The sizes of outputs are requested bytes and output bytes. Float operations
// are computed from the shapes of the first run of a node that has them. The
// bytes in use are a counter.

#ifndef TFPROF_LOADERS_CHROME_JSON_ORT_ORT_H_
#define TFPROF_LOADERS_CHROME_JSON_ORT_ORT_H_

#include <memory>
#include <span>

#include "absl/status/status.h"
#include "loaders/core/load_context.h"

namespace tfprof::chrome_json {

inline constexpr int64_t kOrtTicksPerMicro = 1000;  // nanoseconds

// Loads the files. Several files are several processes with the same steps.
// InvalidArgument if a file has no event of ONNX Runtime.
absl::Status LoadOrt(
    std::span<const std::shared_ptr<const loaders::InputFile>> files,
    loaders::LoadContext& context);

// Returns how well a file fits: 0, or more than for other JSON with events.
int OrtFit(std::string_view bytes);

}  // namespace tfprof::chrome_json

#endif  // TFPROF_LOADERS_CHROME_JSON_ORT_ORT_H_
