// Loads ONNX models: the operations of a graph, their edges and parameters.
//
// A node of the profile is an operation, an input of the graph, or an
// initializer. Names are paths without slashes at their ends ("layers.0/Add").
// An operation without a name gets the name that ONNX Runtime gives it: its
// type and its index among the nodes of its graph ("Flatten_9"). Initializers
// are in the scope of the first operation that reads them; if they are weights,
// they have parameters. Scopes and call stacks come from the properties that
// torch.onnx writes; without these, scopes come from the names.
//
// A model has no times. Profiles of ONNX Runtime that are loaded after it find
// its operations by their names, or by the tensors that they make
// (LoadContext::tensor_producers).

#ifndef TFPROF_LOADERS_ONNX_ONNX_H_
#define TFPROF_LOADERS_ONNX_ONNX_H_

#include <memory>

#include "absl/status/status.h"
#include "loaders/core/load_context.h"

namespace tfprof::onnx {

inline constexpr std::string_view kOnnxInput = "Input";
inline constexpr std::string_view kOnnxInitializer = "Initializer";

// Returns InvalidArgument if the file has no graph.
absl::Status LoadOnnx(std::shared_ptr<const loaders::InputFile> file,
                      loaders::LoadContext& context);

}  // namespace tfprof::onnx

#endif  // TFPROF_LOADERS_ONNX_ONNX_H_
