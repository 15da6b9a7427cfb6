// Loads profiles of ONNX Runtime, versions 1.9 to today.
//
// A step is one model_run; the first one is step 0 and warms up. What happens
// outside of them, such as session_initialization, is in no step. A node is an
// operation of the graph (ort_nodes.h) or a part of a session ("session/…"),
// whose own time is the work of the framework. Operations of a provider on a
// GPU are on the host's lane of launches for it, and its kernels count as the
// accelerator time of their operation.
//
// Sizes of outputs are requested and output bytes. Float operations come from
// the shapes of the first run of a node that has them. The bytes in use are a
// counter.

#ifndef TFPROF_LOADERS_CHROME_JSON_ORT_H_
#define TFPROF_LOADERS_CHROME_JSON_ORT_H_

#include <memory>
#include <span>

#include "absl/status/status.h"
#include "loaders/load_context.h"

namespace tfprof {

inline constexpr int64_t kOrtTicksPerMicro = 1000;  // nanoseconds

// Several files are several processes, which have the same steps.
// InvalidArgument: a file has no event of ONNX Runtime.
absl::Status LoadOrt(std::span<const std::shared_ptr<const InputFile>> files,
                     LoadContext& context);

// How well a file fits: 0, or more than any JSON with events does.
int OrtFit(std::string_view bytes);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_CHROME_JSON_ORT_H_
