// Splits names of ONNX operations into paths, and finds their scopes.
//
// Exporters keep the paths of modules in the names of operations:
// "/layers.0/norm1/Add_1" is Add_1 in layers.0, norm1. Leading, trailing and
// repeated slashes have no meaning. The newer exporter of torch names
// operations "node_conv2d_1" and has the path in a property.

#ifndef TFPROF_LOADERS_ONNX_ONNX_NAMES_H_
#define TFPROF_LOADERS_ONNX_ONNX_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

namespace tfprof::onnx {

// Returns the non-empty parts of a name. The last part is the operation.
std::vector<std::string_view> OnnxPath(std::string_view name);

// Returns the scope in the properties of a node, outermost part first; empty if
// there is none. `name_scopes` is "['', 'conv', 'conv.1', 'conv2d_1']", where
// each entry repeats the one before, and the last one is the operation.
// `name_space` is used if `name_scopes` has no scope: "Net: pkg.Net/conv:
// pkg.Conv2d/conv2d_1: aten.conv2d".
std::vector<std::string> OnnxScopeOfProperties(std::string_view name_scopes,
                                               std::string_view name_space);

// A frame of a stack trace that Python printed.
struct OnnxFrame {
  std::string_view file;
  std::string_view function;
  std::string_view source;  // the line of code; "": missing
  int32_t line = -1;
};
// Parses the frames from the outermost call to the innermost one. Skips other
// lines.
std::vector<OnnxFrame> ParsePythonStack(std::string_view text);

}  // namespace tfprof::onnx

#endif  // TFPROF_LOADERS_ONNX_ONNX_NAMES_H_
