#include "loaders/graph_def/graph_def.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/attributes.h"
#include "util/self_profile.h"
#include "util/threads.h"

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

// What one core parses at a time.
constexpr size_t kPieceBytes = 1 << 20;

// Whole GraphDef.node fields.
struct Piece {
  std::string_view bytes;
  size_t offset = 0;  // in the file
};

// What was read of a piece. Names are views into the file with their hashes:
// interning, which is one after the other, then only looks up.
struct Parsed {
  struct Name {
    std::string_view text;
    uint32_t hash = 0;
  };
  struct Input {
    Name source;
    int32_t output = 0;
  };
  struct Node {
    Name name;
    Name op;
    uint64_t offset = 0;  // of its field
    uint32_t first_input = 0;
    uint32_t first_shape = 0;
    ShapeId parameter_shape = kUnknownShape;  // in `shapes`, as below
  };
  std::vector<Node> nodes;
  std::vector<Input> inputs;  // of all nodes, one after the other
  std::vector<ShapeId> output_shapes;
  ShapeTable shapes;
  ImportLog log;
};

Parsed::Name Hashed(std::string_view text) {
  return {text, StringPool::Hash(text)};
}

// "name", "name:output", "^name" (control).
Parsed::Input ParseInput(std::string_view input) {
  int32_t output = 0;
  if (const size_t colon = input.find(':'); colon != input.npos) {
    const std::string_view number = input.substr(colon + 1);
    std::from_chars(number.data(), number.data() + number.size(), output);
    input = input.substr(0, colon);
  }
  if (!input.empty() && input.front() == '^') input.remove_prefix(1);
  return {Hashed(input), output};
}

// Most attributes are of no interest: true for a map entry that is key, then
// value, then the end, with another key than those that are.
bool IsOtherAttribute(std::string_view entry) {
  if (entry.size() < 2 || entry[0] != LengthTag(1)) return false;
  const auto size = static_cast<unsigned char>(entry[1]);
  if (size >= 0x80 || entry.size() < size + 4u) return false;
  const std::string_view key = entry.substr(2, size);
  if (key == "shape" || key == "_output_shapes") return false;
  const std::string_view value = entry.substr(2 + size);
  const auto length = static_cast<unsigned char>(value[1]);
  return value[0] == LengthTag(2) && length < 0x80 &&
         value.size() == length + 2u;
}

class PieceParser {
 public:
  PieceParser(const InputFile& file, Parsed& parsed)
      : file_(file), parsed_(parsed) {}

  void Run(const Piece& piece) {
    parsed_.nodes.reserve(piece.bytes.size() / 500 + 1);
    parsed_.inputs.reserve(piece.bytes.size() / 250 + 1);
    WireReader graph(piece.bytes);
    uint64_t field = piece.offset;
    while (graph.Next()) {
      if (graph.tag() == kNode) ReadNode(graph.view(), field);
      field = piece.offset + graph.good_bytes();
    }
  }

 private:
  void ReadNode(std::string_view record, uint64_t offset) {
    std::string_view name, op, shape_attr, output_shapes_attr;
    const auto first_input = static_cast<uint32_t>(parsed_.inputs.size());
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
          parsed_.inputs.push_back(ParseInput(node.view()));
          break;
        case kNodeAttr: {
          if (IsOtherAttribute(node.view())) break;
          MapEntry attr;
          if (!ReadMapEntry(node.view(), attr)) {
            parsed_.log.Add(
                ImportLog::kDamage, "node attribute dropped",
                fmt::format("{}: byte {}: an attribute of node {} ends early",
                            file_.path(), file_.OffsetOf(node.view()), name));
          } else if (attr.string_key == "shape") {
            shape_attr = attr.value;
          } else if (attr.string_key == "_output_shapes") {
            output_shapes_attr = attr.value;
          }
          break;
        }
      }
    }
    if (node.damaged()) {
      parsed_.inputs.resize(first_input);
      return LogDamage(file_, node, record, "NodeDef", /*kept=*/false,
                       parsed_.log);
    }
    parsed_.nodes.push_back(
        {Hashed(name), Hashed(op), offset, first_input,
         static_cast<uint32_t>(parsed_.output_shapes.size()),
         ParameterShape(shape_attr)});
    ReadOutputShapes(output_shapes_attr);
  }

  ShapeId ParameterShape(std::string_view attr) {
    const auto shape = AttrMember(attr, kAttrShape);
    if (!shape || !ReadShape(*shape, dims_)) return kUnknownShape;
    return parsed_.shapes.Intern(dims_);
  }

  void ReadOutputShapes(std::string_view attr) {
    const auto list_bytes = AttrMember(attr, kAttrList);
    if (!list_bytes) return;
    WireReader list(*list_bytes);
    while (list.Next()) {
      if (list.tag() != kListShape) continue;
      if (!ReadShape(list.view(), dims_)) dims_.clear();
      parsed_.output_shapes.push_back(parsed_.shapes.Intern(dims_));
    }
  }

  const InputFile& file_;
  Parsed& parsed_;
  std::vector<int64_t> dims_;
};

class Loader {
 public:
  Loader(std::shared_ptr<const InputFile> file, LoadContext& context)
      : file_(*file), context_(context), builder_(context.builder) {
    input_ = builder_.AddInput(std::make_shared<GraphDefDetails>(file));
  }

  absl::Status Load() {
    const std::string_view bytes = file_.bytes();
    std::vector<Piece> pieces;
    size_t nodes = 0, begin = 0;
    WireReader graph(bytes);
    while (graph.Next()) {
      nodes += graph.tag() == kNode;
      if (graph.good_bytes() - begin >= kPieceBytes) {
        pieces.push_back(
            {bytes.substr(begin, graph.good_bytes() - begin), begin});
        begin = graph.good_bytes();
      }
    }
    if (nodes == 0 && !bytes.empty()) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {}", file_.path(),
          graph.damaged() ? graph.Describe(0) +
                                ": not a GraphDef, or cut off in its first node"
                          : fmt::format("no nodes in {} bytes: not a GraphDef",
                                        bytes.size())));
    }
    if (graph.damaged()) {
      LogDamage(file_, graph, bytes, "GraphDef", /*kept=*/true, context_.log);
    }
    if (graph.good_bytes() > begin) {
      pieces.push_back(
          {bytes.substr(begin, graph.good_bytes() - begin), begin});
    }
    builder_.ReserveNodes(nodes);
    std::vector<Parsed> parsed(pieces.size());
    ParallelPipeline(
        pieces.size(),
        [&](size_t i) {
          const ScopedPhase phase("parse", file_.path());
          PieceParser(file_, parsed[i]).Run(pieces[i]);
        },
        [&](size_t i) {
          const ScopedPhase phase("intern", file_.path());
          Add(parsed[i]);
          parsed[i] = Parsed();
        });
    return absl::OkStatus();
  }

 private:
  void Add(const Parsed& piece) {
    GraphTables& graph = builder_.mutable_graph();
    std::vector<ShapeId> shapes(piece.shapes.size());
    for (ShapeId s = 0; s < shapes.size(); ++s) {
      shapes[s] = graph.shapes.Intern(piece.shapes[s]);
    }
    for (size_t i = 0; i < piece.nodes.size(); ++i) {
      const Parsed::Node& node = piece.nodes[i];
      const bool last = i + 1 == piece.nodes.size();
      const size_t end_input =
          last ? piece.inputs.size() : piece.nodes[i + 1].first_input;
      const size_t end_shape =
          last ? piece.output_shapes.size() : piece.nodes[i + 1].first_shape;
      if (i + kAhead < piece.nodes.size()) {
        graph.strings.PrefetchSlot(piece.nodes[i + kAhead].name.hash);
      }
      const NodeId n =
          builder_.AddNode(graph.strings.Intern(node.name.text, node.name.hash),
                           graph.strings.Intern(node.op.text, node.op.hash),
                           MakeRecordRef(input_, node.offset));
      if (n == kNone) {
        context_.log.Add(
            ImportLog::kNotice, "duplicate node",
            fmt::format("{}: byte {}: node {} is defined twice; the first "
                        "definition stays",
                        file_.path(), node.offset, node.name.text));
        continue;
      }
      graph.nodes.parameter_shape[n] = shapes[node.parameter_shape];
      for (size_t e = node.first_input; e < end_input; ++e) {
        if (e + 2 * kAhead < piece.inputs.size()) {
          graph.strings.PrefetchSlot(piece.inputs[e + 2 * kAhead].source.hash);
          graph.strings.PrefetchString(piece.inputs[e + kAhead].source.hash);
        }
        const Parsed::Input& input = piece.inputs[e];
        // The reference parses the output only in debug builds and sees 0.
        builder_.AddEdge(
            graph.strings.Intern(input.source.text, input.source.hash),
            static_cast<int32_t>(e - node.first_input), /*seen_output=*/0,
            input.output);
      }
      for (size_t s = node.first_shape; s < end_shape; ++s) {
        builder_.AddOutputShape(static_cast<int32_t>(s - node.first_shape),
                                shapes[piece.output_shapes[s]]);
      }
    }
    context_.log.Append(piece.log);
  }

  // Nodes and inputs between a prefetch and its use.
  static constexpr size_t kAhead = 8;

  const InputFile& file_;
  LoadContext& context_;
  ProfileBuilder& builder_;
  uint32_t input_ = 0;
};

}  // namespace

absl::Status LoadGraphDef(std::shared_ptr<const InputFile> file,
                          LoadContext& context) {
  return Loader(std::move(file), context).Load();
}

}  // namespace tfprof
