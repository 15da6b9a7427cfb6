// Makes ONNX models for tests.
//
//   OnnxMaker maker;
//   maker.Node("/fc/Gemm", "Gemm", {"x", "w"}, {"y"});
//   maker.Initializer("w", {10, 32});
//   std::string bytes = maker.Model();

#ifndef TFPROF_LOADERS_ONNX_ONNX_TESTING_H_
#define TFPROF_LOADERS_ONNX_ONNX_TESTING_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "util/files/wire_writer.h"

namespace tfprof::onnx {

class OnnxMaker {
 public:
  using Texts = std::vector<std::string>;

  // `properties` are keys and values; `subgraph` is the bytes of a GraphProto.
  void Node(
      std::string_view name, std::string_view op, const Texts& inputs,
      const Texts& outputs,
      const std::vector<std::pair<std::string, std::string>>& properties = {},
      std::string_view subgraph = {}) {
    const util::WireMessage node(w_, 1);
    for (const std::string& input : inputs) w_.Bytes(1, input);
    for (const std::string& output : outputs) w_.Bytes(2, output);
    w_.BytesIfSet(3, name);
    w_.Bytes(4, op);
    if (!subgraph.empty()) {
      const util::WireMessage attribute(w_, 5);
      w_.Bytes(1, "body");
      w_.Bytes(6, subgraph);
    }
    for (const auto& [key, value] : properties) {
      const util::WireMessage property(w_, 9);
      w_.Bytes(1, key);
      w_.Bytes(2, value);
    }
  }

  // `data_type`: 1 is FLOAT, 7 is INT64.
  void Initializer(std::string_view name, const std::vector<int64_t>& dims,
                   int64_t data_type = 1) {
    const util::WireMessage tensor(w_, 5);
    w_.PackedInt64(1, dims);
    w_.Int64(2, data_type);
    w_.Bytes(8, name);
    w_.Bytes(9, "weights");
  }

  void Input(std::string_view name, const std::vector<int64_t>& dims) {
    Value(11, name, dims);
  }
  // Sets the shape of a tensor; a negative size is unknown.
  void Shape(std::string_view name, const std::vector<int64_t>& dims) {
    Value(13, name, dims);
  }

  // Return a GraphProto, and a ModelProto that contains it.
  std::string Graph() const { return std::string(w_.bytes()); }
  std::string Model() const {
    util::WireWriter model;
    model.Int64(1, 8);
    model.Bytes(2, "pytorch");
    model.Bytes(7, w_.bytes());
    {
      const util::WireMessage opset(model, 8);
      model.Int64(2, 17);
    }
    return std::string(model.bytes());
  }

 private:
  void Value(uint32_t field, std::string_view name,
             const std::vector<int64_t>& dims) {
    const util::WireMessage value(w_, field);
    w_.Bytes(1, name);
    const util::WireMessage type(w_, 2);
    const util::WireMessage tensor(w_, 1);
    w_.Int64(1, 1);
    const util::WireMessage shape(w_, 2);
    for (const int64_t size : dims) {
      const util::WireMessage dim(w_, 1);
      if (size >= 0) {
        w_.Int64(1, size);
      } else {
        w_.Bytes(2, "batch");
      }
    }
  }

  util::WireWriter w_;
};

}  // namespace tfprof::onnx

#endif  // TFPROF_LOADERS_ONNX_ONNX_TESTING_H_
