#include "loaders/onnx/onnx_graph.h"

#include <utility>

#include "util/files/wire.h"

namespace tfprof::onnx {
namespace {

// Reads a TensorProto without its values.
bool ReadTensor(std::string_view bytes, OnnxTensor& tensor) {
  bool good = true;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.number() == 1) good &= util::AppendInts(r, tensor.dims);
    if (r.tag() == util::VarintTag(2)) tensor.data_type = r.int64();
    if (r.tag() == util::LengthTag(8)) tensor.name = r.view();
  }
  // A scalar has no dimensions.
  if (tensor.dims.empty()) tensor.dims = {1};
  return good && !r.damaged();
}

// Reads a TensorShapeProto.
bool ReadShapeOf(std::string_view bytes, std::vector<int64_t>& dims) {
  bool good = true;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() != util::LengthTag(1)) continue;
    int64_t size = -1;  // the size is a name or missing
    util::WireReader dim(r.view());
    while (dim.Next()) {
      if (dim.tag() == util::VarintTag(1)) size = dim.int64();
    }
    good &= !dim.damaged();
    dims.push_back(size);
  }
  if (dims.empty()) dims = {1};
  return good && !r.damaged();
}

// Reads a ValueInfoProto: name = 1, type = 2 { tensor_type = 1 { elem_type = 1,
// shape = 2 } }.
bool ReadValue(std::string_view bytes, OnnxTensor& tensor) {
  bool good = true;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == util::LengthTag(1)) tensor.name = r.view();
    if (r.tag() != util::LengthTag(2)) continue;
    util::WireReader type(r.view());
    while (type.Next()) {
      if (type.tag() != util::LengthTag(1)) continue;
      util::WireReader of_tensor(type.view());
      while (of_tensor.Next()) {
        if (of_tensor.tag() == util::VarintTag(1)) {
          tensor.data_type = of_tensor.int64();
        }
        if (of_tensor.tag() == util::LengthTag(2)) {
          tensor.dims.clear();
          good &= ReadShapeOf(of_tensor.view(), tensor.dims);
        }
      }
      good &= !of_tensor.damaged();
    }
    good &= !type.damaged();
  }
  return good && !r.damaged();
}

// Reads the graphs of an AttributeProto.
bool ReadAttribute(std::string_view bytes,
                   std::vector<std::string_view>& subgraphs) {
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == util::LengthTag(6) || r.tag() == util::LengthTag(11)) {
      subgraphs.push_back(r.view());
    }
  }
  return !r.damaged();
}

// Reads a StringStringEntryProto of a node.
bool ReadProperty(std::string_view bytes, OnnxNode& node) {
  std::string_view key, value;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == util::LengthTag(1)) key = r.view();
    if (r.tag() == util::LengthTag(2)) value = r.view();
  }
  if (key == "pkg.torch.onnx.name_scopes") node.name_scopes = value;
  if (key == "namespace") node.name_space = value;
  if (key == "pkg.torch.onnx.stack_trace") node.stack_trace = value;
  return !r.damaged();
}

bool ReadNode(std::string_view bytes, OnnxNode& node) {
  bool good = true;
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case util::LengthTag(1):
        node.inputs.push_back(r.view());
        break;
      case util::LengthTag(2):
        node.outputs.push_back(r.view());
        break;
      case util::LengthTag(3):
        node.name = r.view();
        break;
      case util::LengthTag(4):
        node.op = r.view();
        break;
      case util::LengthTag(5):
        good &= ReadAttribute(r.view(), node.subgraphs);
        break;
      case util::LengthTag(9):
        good &= ReadProperty(r.view(), node);
        break;
    }
  }
  return good && !r.damaged();
}

}  // namespace

bool ReadOnnxModel(std::string_view bytes, OnnxModel& model) {
  util::WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case util::LengthTag(2):
        model.producer = r.view();
        break;
      case util::LengthTag(7):
        model.graph = r.view();
        model.has_graph = true;
        break;
      case util::LengthTag(25):
        ++model.num_functions;
        break;
    }
  }
  // A truncated model ends inside its graph.
  if (r.damaged() && r.tag() == util::LengthTag(7) && !r.rest().empty()) {
    model.graph = r.rest();
    model.has_graph = true;
  }
  return !r.damaged();
}

bool ReadOnnxGraph(std::string_view bytes, OnnxGraph& graph) {
  bool good = true;
  util::WireReader r(bytes);
  for (size_t field = 0; r.Next(); field = r.good_bytes()) {
    switch (r.tag()) {
      case util::LengthTag(1):
        good &= ReadNode(r.view(), graph.nodes.emplace_back());
        graph.nodes.back().field = field;
        break;
      case util::LengthTag(5):
        good &= ReadTensor(r.view(), graph.initializers.emplace_back());
        break;
      case util::LengthTag(11):
        good &= ReadValue(r.view(), graph.inputs.emplace_back());
        break;
      case util::LengthTag(12):
      case util::LengthTag(13):
        good &= ReadValue(r.view(), graph.values.emplace_back());
        break;
      case util::LengthTag(15): {  // a SparseTensorProto: values = 1, dims = 3
        OnnxTensor& tensor = graph.initializers.emplace_back();
        std::vector<int64_t> dims;
        util::WireReader sparse(r.view());
        while (sparse.Next()) {
          if (sparse.tag() == util::LengthTag(1)) {
            good &= ReadTensor(sparse.view(), tensor);
          }
          if (sparse.number() == 3) good &= util::AppendInts(sparse, dims);
        }
        good &= !sparse.damaged();
        tensor.dims = std::move(dims);
        break;
      }
    }
  }
  return good && !r.damaged();
}

bool IsWeightType(int64_t data_type) {
  switch (data_type) {
    case 6:   // INT32
    case 7:   // INT64
    case 8:   // STRING
    case 9:   // BOOL
    case 12:  // UINT32
    case 13:  // UINT64
      return false;
    default:
      return true;
  }
}

}  // namespace tfprof::onnx
