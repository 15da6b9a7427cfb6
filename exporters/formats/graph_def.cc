#include "exporters/formats/graph_def.h"

#include <algorithm>
#include <limits>
#include <span>
#include <string_view>

#include "fmt/format.h"
#include "util/files/wire_writer.h"

namespace tfprof::exporters {
namespace {
namespace graph_def {

// Field numbers of proto/graph.proto.
constexpr uint32_t kNode = 1;  // of GraphDef
namespace node_field {
constexpr uint32_t kName = 1, kOp = 2, kInput = 3, kAttr = 5;
}  // namespace node_field
constexpr uint32_t kMapKey = 1, kMapValue = 2;
namespace attr_field {
constexpr uint32_t kList = 1, kShape = 7;
constexpr uint32_t kListShape = 7;  // of ListValue
}  // namespace attr_field
namespace shape_field {
constexpr uint32_t kDim = 2, kUnknownRank = 3;
constexpr uint32_t kSize = 1;  // of Dim
}  // namespace shape_field

constexpr size_t kBufferBytes = 256 << 10;
constexpr std::string_view kShapeKey = "shape";
constexpr std::string_view kOutputShapesKey = "_output_shapes";
// An input whose source has no name.
constexpr std::string_view kUnknownString = "<unknown>";

class Writer {
 public:
  Writer(const profile::Profile& profile, util::Sink& sink)
      : profile_(profile), nodes_(profile.nodes()), sink_(sink) {}

  absl::StatusOr<GraphDefLosses> Write() {
    for (profile::NodeId n = 0; n < nodes_.size(); ++n) {
      const size_t before = w_.size();
      const std::string_view node = profile_.NodeDef(n);
      // The record in the input contains the name, but not the label.
      if (node.data() != nullptr && nodes_.label.empty()) {
        w_.Bytes(kNode, node);
      } else {
        ++losses_.rebuilt;
        const util::WireMessage message(w_, kNode);
        AddNode(n);
      }
      if (w_.size() - before > util::kMaxMessageBytes) {
        return absl::ResourceExhaustedError(
            fmt::format("node {} would take {} bytes; a protobuf message has "
                        "at most 2 GiB",
                        profile_.node_name(n), w_.size() - before));
      }
      if (w_.size() > kBufferBytes) {
        Flush();
        sink_.Reached(n / static_cast<double>(nodes_.size()));
      }
    }
    Flush();
    return losses_;
  }

 private:
  void Flush() {
    sink_.Write(w_.bytes());
    w_.Truncate(0);
  }

  void AddNode(profile::NodeId n) {
    w_.BytesIfSet(node_field::kName, profile_.node_name(n));
    w_.BytesIfSet(node_field::kOp, profile_.strings().Get(nodes_.op[n]));
    AddInputs(n);
    bool has_shape = false, has_output_shapes = false;
    for (const auto& [key, value] : profile_.Attributes(n)) {
      has_shape |= key == kShapeKey;
      has_output_shapes |= key == kOutputShapesKey;
      const util::WireMessage entry(w_, node_field::kAttr);
      w_.Bytes(kMapKey, key);
      w_.Bytes(kMapValue, value);
    }
    if (!has_shape && nodes_.parameter_shape[n] != profile::kUnknownShape) {
      const util::WireMessage entry(w_, node_field::kAttr);
      w_.Bytes(kMapKey, kShapeKey);
      const util::WireMessage value(w_, kMapValue);
      AddShape(attr_field::kShape, nodes_.parameter_shape[n]);
    }
    if (!has_output_shapes) AddOutputShapes(n);
  }

  void AddInputs(profile::NodeId n) {
    const uint32_t begin = nodes_.edge_begin[n];
    bool in_place = true;
    for (uint32_t e = begin; e < nodes_.edge_begin[n + 1]; ++e) {
      in_place &= nodes_.Position(n, e) == static_cast<int32_t>(e - begin);
      const std::string_view name = SourceName(n, e);
      const int32_t output =
          nodes_.edge_output.empty() ? 0 : nodes_.edge_output[e];
      if (output == 0) {
        w_.Bytes(node_field::kInput, name);
      } else {
        w_.Bytes(node_field::kInput, fmt::format("{}:{}", name, output));
      }
    }
    losses_.input_places += !in_place;
  }

  // The name under which the source itself is written.
  std::string_view SourceName(profile::NodeId reader, uint32_t edge) const {
    const profile::NodeId source = nodes_.Source(reader, edge);
    if (source != profile::kNone) return profile_.node_name(source);
    const profile::StringId name = nodes_.edge_source[edge];
    return name == profile::kNone ? kUnknownString
                                  : profile_.strings().Get(name);
  }

  void AddOutputShapes(profile::NodeId n) {
    const std::span<const profile::NodeTable::OutputShape> shapes(
        nodes_.output_shape.data() + nodes_.shape_begin[n],
        nodes_.output_shape.data() + nodes_.shape_begin[n + 1]);
    if (shapes.empty()) return;
    const util::WireMessage entry(w_, node_field::kAttr);
    w_.Bytes(kMapKey, kOutputShapesKey);
    const util::WireMessage value(w_, kMapValue);
    const util::WireMessage list(w_, attr_field::kList);
    bool in_place = true;
    for (size_t i = 0; i < shapes.size(); ++i) {
      in_place &= shapes[i].index == static_cast<int32_t>(i);
      AddShape(attr_field::kListShape, shapes[i].shape);
    }
    losses_.output_places += !in_place;
  }

  void AddShape(uint32_t field, profile::ShapeId shape) {
    const util::WireMessage message(w_, field);
    const std::span<const int64_t> dims = profile_.graph().shapes[shape];
    if (dims.empty()) w_.Int64(shape_field::kUnknownRank, 1);
    for (const int64_t size : dims) {
      const util::WireMessage dim(w_, shape_field::kDim);
      w_.Int64IfSet(shape_field::kSize, size);
    }
  }

  const profile::Profile& profile_;
  const profile::NodeTable& nodes_;
  util::Sink& sink_;
  util::WireWriter w_;
  GraphDefLosses losses_;
};

}  // namespace graph_def
}  // namespace

absl::StatusOr<GraphDefLosses> WriteGraphDef(const profile::Profile& profile,
                                             util::Sink& sink) {
  return graph_def::Writer(profile, sink).Write();
}

}  // namespace tfprof::exporters
