#include "loaders/graph_def/graph_def.h"

#include <charconv>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/attributes.h"

namespace tfprof {
namespace {

// GraphDef and NodeDef.
constexpr uint32_t kNode = LengthTag(1);
constexpr uint32_t kNodeName = LengthTag(1);
constexpr uint32_t kNodeOp = LengthTag(2);
constexpr uint32_t kNodeInput = LengthTag(3);
constexpr uint32_t kNodeAttr = LengthTag(5);
// AttrValue.
constexpr uint32_t kAttrList = 1;
constexpr uint32_t kAttrShape = 7;
constexpr uint32_t kListShape = LengthTag(7);

class GraphDefDetails : public DetailReader {
 public:
  explicit GraphDefDetails(std::shared_ptr<const InputFile> file)
      : file_(std::move(file)) {}

  // `offset` is that of a GraphDef.node field.
  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t offset) const override {
    WireReader r(file_->bytes().substr(offset));
    if (!r.Next()) return {};
    return ReadAttributes(r.view(), /*number=*/5);
  }
  ExecutionDetail Execution(uint64_t, bool) const override { return {}; }
  bool record_is_group() const override { return false; }

 private:
  std::shared_ptr<const InputFile> file_;
};

// "name", "name:output", "^name" (control).
void AddInput(std::string_view input, int32_t position,
              ProfileBuilder& builder) {
  int32_t output = 0;
  if (const size_t colon = input.find(':'); colon != input.npos) {
    const std::string_view number = input.substr(colon + 1);
    std::from_chars(number.data(), number.data() + number.size(), output);
    input = input.substr(0, colon);
  }
  if (!input.empty() && input.front() == '^') input.remove_prefix(1);
  // The reference parses the output only in debug builds and sees 0.
  builder.AddEdge(builder.mutable_graph().strings.Intern(input), position,
                  /*seen_output=*/0, output);
}

class Loader {
 public:
  Loader(std::shared_ptr<const InputFile> file, LoadContext& context)
      : file_(*file), context_(context), builder_(context.builder) {
    input_ = builder_.AddInput(std::make_shared<GraphDefDetails>(file));
  }

  absl::Status Load() {
    const std::string_view bytes = file_.bytes();
    WireReader graph(bytes);
    size_t field = 0;  // offset of the field that Next() reads
    while (graph.Next()) {
      if (graph.tag() == kNode) {
        ReadNode(graph.view(), MakeRecordRef(input_, field));
      }
      field = graph.good_bytes();
    }
    if (graph.damaged()) {
      if (nodes_ == 0) {
        return absl::InvalidArgumentError(
            fmt::format("{}: {}: not a GraphDef, or cut off in its first node",
                        file_.path(), graph.Describe(0)));
      }
      LogDamage(file_, graph, bytes, "GraphDef", /*kept=*/true, context_.log);
    }
    if (nodes_ == 0 && !bytes.empty()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: no nodes in {} bytes: not a GraphDef", file_.path(),
                      bytes.size()));
    }
    return absl::OkStatus();
  }

 private:
  void ReadNode(std::string_view record, RecordRef ref) {
    std::string_view name, op, shape_attr, output_shapes_attr;
    bool has_shape = false;
    inputs_.clear();
    WireReader node(record);
    while (node.Next()) {
      switch (node.tag()) {
        case kNodeName:
          name = node.view();
          break;
        case kNodeOp:
          op = node.view();
          break;
        case kNodeInput:
          inputs_.push_back(node.view());
          break;
        case kNodeAttr: {
          MapEntry attr;
          if (!ReadMapEntry(node.view(), attr)) {
            context_.log.Add(
                ImportLog::kDamage, "node attribute dropped",
                fmt::format("{}: byte {}: an attribute of node {} ends early",
                            file_.path(), file_.OffsetOf(node.view()), name));
          } else if (attr.string_key == "shape") {
            shape_attr = attr.value;
            has_shape = true;
          } else if (attr.string_key == "_output_shapes") {
            output_shapes_attr = attr.value;
          }
          break;
        }
      }
    }
    if (node.damaged()) {
      return LogDamage(file_, node, record, "NodeDef", /*kept=*/false,
                       context_.log);
    }
    ++nodes_;
    const NodeId n = builder_.AddNode(name, op, ref);
    if (n == kNone) {
      context_.log.Add(
          ImportLog::kNotice, "duplicate node",
          fmt::format("{}: byte {}: node {} is defined twice; the first "
                      "definition stays",
                      file_.path(), file_.OffsetOf(record), name));
      return;
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      AddInput(inputs_[i], static_cast<int32_t>(i), builder_);
    }
    if (has_shape) ReadParameterShape(shape_attr, n);
    ReadOutputShapes(output_shapes_attr);
  }

  void ReadParameterShape(std::string_view attr, NodeId n) {
    const auto shape = AttrMember(attr, kAttrShape);
    if (!shape || !ReadShape(*shape, dims_)) return;
    GraphTables& graph = builder_.mutable_graph();
    graph.nodes.parameter_shape[n] = graph.shapes.Intern(dims_);
  }

  void ReadOutputShapes(std::string_view attr) {
    const auto list_bytes = AttrMember(attr, kAttrList);
    if (!list_bytes) return;
    int32_t index = 0;
    WireReader list(*list_bytes);
    while (list.Next()) {
      if (list.tag() != kListShape) continue;
      if (!ReadShape(list.view(), dims_)) dims_.clear();
      builder_.AddOutputShape(index++,
                              builder_.mutable_graph().shapes.Intern(dims_));
    }
  }

  const InputFile& file_;
  LoadContext& context_;
  ProfileBuilder& builder_;
  uint32_t input_ = 0;
  size_t nodes_ = 0;
  std::vector<std::string_view> inputs_;
  std::vector<int64_t> dims_;
};

}  // namespace

absl::Status LoadGraphDef(std::shared_ptr<const InputFile> file,
                          LoadContext& context) {
  return Loader(std::move(file), context).Load();
}

}  // namespace tfprof
