// Names of ONNX operations as paths, and the scopes that they say.
//
// Exporters keep the paths of modules in the names of operations:
// "/layers.0/norm1/Add_1" is Add_1 in layers.0, norm1. Slashes at the ends and
// repeated ones mean nothing. The newer exporter of torch names operations
// "node_conv2d_1" and says the path in a property.

#ifndef TFPROF_LOADERS_ONNX_ONNX_NAMES_H_
#define TFPROF_LOADERS_ONNX_ONNX_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

// The parts of a name that are not empty. The last one is the operation's.
std::vector<std::string_view> OnnxPath(std::string_view name);

// The scope that the properties of a node say, outermost part first; empty:
// none. `name_scopes` is "['', 'conv', 'conv.1', 'conv2d_1']", where each entry
// repeats the one before and the last one is the operation; `name_space` is
// used where there are none, and is "Net: pkg.Net/conv: pkg.Conv2d/conv2d_1:
// aten.conv2d".
std::vector<std::string> OnnxScopeOfProperties(std::string_view name_scopes,
                                               std::string_view name_space);

// A frame of a stack trace that Python printed.
struct OnnxFrame {
  std::string_view file;
  std::string_view function;
  std::string_view source;  // the line; "": not in the text
  int32_t line = -1;
};
// From the outermost call to the innermost one. Lines that are no frames are
// skipped.
std::vector<OnnxFrame> ParsePythonStack(std::string_view text);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_ONNX_ONNX_NAMES_H_
