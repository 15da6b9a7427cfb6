// OnnxGraph: the parts of one graph of an ONNX model (onnx.ModelProto,
// github.com/onnx/onnx) that a profile needs.
//
// Weights are skipped, so a model of many gigabytes is read as fast as its
// graph. A model has a main graph; operations such as If and Loop have graphs
// in their attributes. These subgraphs are returned as bytes, so deep nesting
// needs no recursion. Shapes are in the form of profile/tables/shape_table.h.
// All views point into the bytes that were read.

#ifndef TFPROF_LOADERS_ONNX_ONNX_GRAPH_H_
#define TFPROF_LOADERS_ONNX_ONNX_GRAPH_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tfprof::onnx {

struct OnnxNode {
  std::string_view name;  // may be empty
  std::string_view op;
  std::vector<std::string_view> inputs;  // tensor names; "": omitted
  std::vector<std::string_view> outputs;
  std::vector<std::string_view> subgraphs;
  // Values of metadata_props that torch.onnx writes; "": none.
  std::string_view name_scopes;  // "['', 'conv', 'conv.1', 'conv2d_1']"
  std::string_view name_space;   // ": pkg.Net/conv: pkg.Conv2d/conv2d: aten"
  std::string_view stack_trace;  // as Python prints it
  size_t field = 0;  // offset of its field in the bytes of its graph
};

// A tensor that has a value in the model, or is an input or output.
struct OnnxTensor {
  std::string_view name;
  int64_t data_type = 0;      // onnx.TensorProto.DataType
  std::vector<int64_t> dims;  // empty: unknown
};

struct OnnxGraph {
  std::vector<OnnxNode> nodes;
  std::vector<OnnxTensor> initializers;
  std::vector<OnnxTensor> inputs;
  // Shapes of other tensors, if the model has them.
  std::vector<OnnxTensor> values;
};

// The parts of a ModelProto.
struct OnnxModel {
  std::string_view producer;  // "pytorch"
  std::string_view graph;     // bytes of the main graph
  bool has_graph = false;
  int64_t num_functions = 0;  // bodies of operations, not read
};

// Return false if damaged; the part before the damage is read.
bool ReadOnnxModel(std::string_view bytes, OnnxModel& model);
bool ReadOnnxGraph(std::string_view bytes, OnnxGraph& graph);

// Returns whether tensors of this type are weights. False for bool, text and
// integers of 32 and 64 bits: shapes, axes, indices and vocabularies.
bool IsWeightType(int64_t data_type);

}  // namespace tfprof::onnx

#endif  // TFPROF_LOADERS_ONNX_ONNX_GRAPH_H_
