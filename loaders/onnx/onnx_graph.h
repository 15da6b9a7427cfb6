// OnnxGraph: one graph of an ONNX model (onnx.ModelProto,
// github.com/onnx/onnx), as far as a profile needs it.
//
// Weights are skipped: a model of many gigabytes is read as fast as its graph.
// A model has a main graph, and operations such as If and Loop have graphs in
// their attributes; those are given as bytes, so the depth of a file costs no
// stack. Shapes are in the convention of profile/shape_table.h. All views point
// into the bytes that were read.

#ifndef TFPROF_LOADERS_ONNX_ONNX_GRAPH_H_
#define TFPROF_LOADERS_ONNX_ONNX_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tfprof {

struct OnnxNode {
  std::string_view name;  // may be empty
  std::string_view op;
  std::vector<std::string_view> inputs;  // names of tensors; "": left out
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> subgraphs;
  // metadata_props that torch.onnx writes; "": none.
  std::string_view name_scopes;  // "['', 'conv', 'conv.1', 'conv2d_1']"
  std::string_view name_space;   // ": pkg.Net/conv: pkg.Conv2d/conv2d: aten"
  std::string_view stack_trace;  // as Python prints it
  size_t field = 0;  // offset of its field in the bytes of its graph
};

// A tensor that the model has a value for, or that goes in or out.
struct OnnxTensor {
  std::string_view name;
  int64_t data_type = 0;      // onnx.TensorProto.DataType
  std::vector<int64_t> dims;  // empty: unknown
};

struct OnnxGraph {
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxTensor> inputs;
  // Shapes of other tensors, where the model has them.
  std::vector<OnnxTensor> values;
};

// What ModelProto says besides its graph.
struct OnnxModel {
  std::string_view producer;  // "pytorch"
  std::string_view graph;     // bytes of the main graph
  bool has_graph = false;
  int64_t num_functions = 0;  // bodies of operations, which are not read
};

// False: damaged; what came before the damage is read.
bool ReadOnnxModel(std::string_view bytes, OnnxModel& model);
bool ReadOnnxGraph(std::string_view bytes, OnnxGraph& graph);

// Whether a tensor of this type has weights. False for whole numbers of 32 and
// 64 bits, bool and text: shapes, axes, indices and vocabularies.
bool IsWeightType(int64_t data_type);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_ONNX_ONNX_GRAPH_H_
