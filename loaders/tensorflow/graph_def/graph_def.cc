#include "loaders/tensorflow/graph_def/graph_def.h"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/core/file_cutter.h"
#include "loaders/tensorflow/attributes.h"
#include "loaders/tensorflow/followers.h"
#include "loaders/tensorflow/graph_def/function_library.h"
#include "profile/tables/local_names.h"
#include "util/run/self_profile.h"
#include "util/run/threads.h"

namespace tfprof::tensorflow {
namespace {

// GraphDef and NodeDef.
constexpr uint32_t kNode = util::LengthTag(1);
constexpr uint32_t kNodeName = util::LengthTag(1);
constexpr uint32_t kNodeOp = util::LengthTag(2);
constexpr uint32_t kNodeInput = util::LengthTag(3);
constexpr uint32_t kNodeAttr = util::LengthTag(5);
// AttrValue.
constexpr uint32_t kAttrList = 1;
constexpr uint32_t kAttrShape = 7;
constexpr uint32_t kListShape = util::LengthTag(7);

class GraphDefDetails : public profile::DetailReader {
 public:
  explicit GraphDefDetails(std::shared_ptr<const loaders::InputFile> file)
      : file_(std::move(file)) {}

  // `offset` is the offset of a GraphDef.node field.
  profile::AttributeList Attributes(uint64_t offset) const override {
    util::WireReader r(file_->bytes().substr(offset));
    if (!r.Next()) return {};
    return ReadAttributes(r.view(), /*number=*/5);
  }
  void VisitFunctions(const std::function<void(std::string_view, uint64_t)>&
                          visit) const override {
    tfprof::tensorflow::VisitFunctions(*file_, visit);
  }
  // `offset` is the offset of a FunctionDefLibrary.function field.
  profile::FunctionBody Function(uint64_t offset) const override {
    return ReadFunction(*file_, offset);
  }
  std::vector<std::string_view> Inputs(uint64_t offset) const override {
    std::vector<std::string_view> inputs;
    util::WireReader r(file_->bytes().substr(offset));
    if (!r.Next()) return inputs;
    util::WireReader node(r.view());
    while (node.Next()) {
      if (node.tag() == util::LengthTag(3)) inputs.push_back(node.view());
    }
    return inputs;
  }
  profile::ExecutionDetail Execution(uint64_t, bool) const override {
    return {};
  }
  std::string_view NodeDef(uint64_t offset) const override {
    util::WireReader r(file_->bytes().substr(offset));
    return r.Next() ? r.view() : std::string_view();
  }
  bool record_is_group() const override { return false; }

 private:
  std::shared_ptr<const loaders::InputFile> file_;
};

// One core parses a piece of this size at a time.
constexpr size_t kPieceBytes = 1 << 20;
// The size of the tables is estimated after this many pieces, which are a few
// towers or layers.
constexpr size_t kSamplePieces = 16;

// The content of a piece. Names are numbered within the piece, in the order of
// first use. Most inputs have their source in the same piece, so interning, one
// piece after the other, only looks up a third of the strings.
struct Parsed {
  struct Input {
    uint32_t source = 0;  // into `names`
    int32_t output = 0;
  };
  struct Node {
    uint32_t name = 0;
    uint32_t op = 0;
    uint64_t offset = 0;  // of the field of the node
    uint32_t first_input = 0;
    uint32_t first_shape = 0;
    profile::ShapeId parameter_shape =
        profile::kUnknownShape;  // in `shapes`, as below
  };
  std::vector<profile::HashedName> names;
  std::vector<Node> nodes;
  std::vector<Input> inputs;  // of all nodes, one after the other
  std::vector<profile::ShapeId> output_shapes;
  profile::ShapeTable shapes;
  size_t num_records = 0;  // number of nodes, including damaged ones
  loaders::ImportLog log;
};

// Returns the output number of an input "name", "name:output" or "^name"
// (control), whose name is `name`.
int32_t OutputOf(std::string_view input, std::string_view name) {
  int32_t output = 0;
  const char* number = name.data() + name.size() + 1;
  const char* end = input.data() + input.size();
  if (number < end) std::from_chars(number, end, output);
  return output;
}

// Most attributes are not needed. Returns true for a map entry that is exactly
// a key and a value, and whose key is not needed.
bool IsOtherAttribute(std::string_view entry) {
  if (entry.size() < 2 || entry[0] != util::LengthTag(1)) return false;
  const auto size = static_cast<unsigned char>(entry[1]);
  if (size >= 0x80 || entry.size() < size + 4u) return false;
  const std::string_view key = entry.substr(2, size);
  if (key == "shape" || key == "_output_shapes") return false;
  const std::string_view value = entry.substr(2 + size);
  const auto length = static_cast<unsigned char>(value[1]);
  return value[0] == util::LengthTag(2) && length < 0x80 &&
         value.size() == length + 2u;
}

class PieceParser {
 public:
  PieceParser(const loaders::InputFile& file, Parsed& parsed)
      : file_(file), parsed_(parsed), names_(parsed.names) {}

  void Run(const loaders::FilePiece& piece) {
    parsed_.nodes.reserve(piece.bytes.size() / 500 + 1);
    names_.Reserve(piece.bytes.size() / 400);
    parsed_.inputs.reserve(piece.bytes.size() / 250 + 1);
    util::WireReader graph(piece.bytes);
    uint64_t field = piece.offset;
    while (graph.Next()) {
      if (graph.tag() == kNode) {
        ++parsed_.num_records;
        ReadNode(graph.view(), field);
      }
      field = piece.offset + graph.good_bytes();
    }
  }

 private:
  void ReadNode(std::string_view record, uint64_t offset) {
    std::string_view name, op, shape_attr, output_shapes_attr;
    const auto first_input = static_cast<uint32_t>(parsed_.inputs.size());
    util::WireReader node(record);
    while (node.Next()) {
      switch (node.tag()) {
        case kNodeName:
          name = node.view();
          break;
        case kNodeOp:
          op = node.view();
          break;
        case kNodeInput:
          parsed_.inputs.push_back(ReadInput(node.view()));
          break;
        case kNodeAttr: {
          if (IsOtherAttribute(node.view())) break;
          util::MapEntry attr;
          if (!util::ReadMapEntry(node.view(), attr)) {
            parsed_.log.Add(
                loaders::ImportLog::kDamage, "node attribute dropped",
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
      return loaders::LogDamage(file_, node, record, "NodeDef", /*kept=*/false,
                                parsed_.log);
    }
    profile::ShapeId parameter_shape = profile::kUnknownShape;
    const auto first_shape =
        static_cast<uint32_t>(parsed_.output_shapes.size());
    if (!ReadParameterShape(shape_attr, parameter_shape)) {
      LogShape("shape", name, shape_attr);
    }
    if (!ReadOutputShapes(output_shapes_attr)) {
      LogShape("_output_shapes", name, output_shapes_attr);
    }
    parsed_.nodes.push_back({names_.Number(name), names_.Number(op), offset,
                             first_input, first_shape, parameter_shape});
  }

  void LogShape(std::string_view key, std::string_view node,
                std::string_view attr) {
    parsed_.log.Add(
        loaders::ImportLog::kDamage, "shape dropped",
        fmt::format("{}: byte {}: the attribute {} of node {} is damaged",
                    file_.path(), file_.OffsetOf(attr), key, node));
  }

  static bool IsWhole(std::string_view message) {
    util::WireReader r(message);
    while (r.Next()) {
    }
    return !r.damaged();
  }

  Parsed::Input ReadInput(std::string_view input) {
    std::string_view name = input;
    if (name.starts_with('^')) name.remove_prefix(1);
    uint32_t source = input_followers_.Guess();
    if (source != profile::kNone) {
      const std::string_view guess = parsed_.names[source].text;
      if (name.starts_with(guess) &&
          (name.size() == guess.size() || name[guess.size()] == ':')) {
        name = name.substr(0, guess.size());
      } else {
        source = profile::kNone;
      }
    }
    if (source == profile::kNone) {
      name = name.substr(0, name.find(':'));
      source = names_.Number(name);
    }
    input_followers_.Add(source);
    return {source, OutputOf(input, name)};
  }

  // Both return false for damage. A member of another type is not a shape.
  [[nodiscard]] bool ReadParameterShape(std::string_view attr,
                                        profile::ShapeId& id) {
    const auto shape = profile::AttrMember(attr, kAttrShape);
    if (!shape) return IsWhole(attr);
    if (!profile::ReadShape(*shape, dims_)) return false;
    id = parsed_.shapes.Intern(dims_);
    return true;
  }

  // Most nodes have the same shapes as another node.
  [[nodiscard]] bool ReadOutputShapes(std::string_view attr) {
    if (attr.empty()) return true;
    std::vector<profile::ShapeId>& shapes = parsed_.output_shapes;
    const uint32_t number = shape_attr_numbers_.Number(attr);
    if (number == shape_attr_ranges_.size()) {
      const size_t first = shapes.size();
      const bool good = ParseOutputShapes(attr);
      shape_attr_ranges_.push_back({first, shapes.size(), good});
      return good;
    }
    const auto [first, end, good] = shape_attr_ranges_[number];
    shapes.resize(shapes.size() + (end - first));
    std::copy(shapes.begin() + static_cast<ptrdiff_t>(first),
              shapes.begin() + static_cast<ptrdiff_t>(end),
              shapes.end() - static_cast<ptrdiff_t>(end - first));
    return good;
  }

  [[nodiscard]] bool ParseOutputShapes(std::string_view attr) {
    const auto list_bytes = profile::AttrMember(attr, kAttrList);
    if (!list_bytes) return IsWhole(attr);
    bool good = true;
    util::WireReader list(*list_bytes);
    while (list.Next()) {
      if (list.tag() != kListShape) continue;
      if (!profile::ReadShape(list.view(), dims_)) {
        good = false;
        dims_.clear();
      }
      parsed_.output_shapes.push_back(parsed_.shapes.Intern(dims_));
    }
    return good && !list.damaged();
  }

  const loaders::InputFile& file_;
  Parsed& parsed_;
  profile::LocalNames names_;
  Followers input_followers_;  // their names have no ':'
  std::vector<int64_t> dims_;
  // The `_output_shapes` attributes of the piece, by their bytes; the begin and
  // end of their shapes in parsed_.output_shapes; and whether they are
  // undamaged.
  std::vector<profile::HashedName> shape_attrs_;
  profile::LocalNames shape_attr_numbers_{shape_attrs_};
  struct ShapeRange {
    size_t first;
    size_t end;
    bool good;
  };
  std::vector<ShapeRange> shape_attr_ranges_;
};

// Returns whether `bytes` are a GraphDef without nodes, as of an empty
// tf.Graph: nothing, or only versions and functions, which begin as messages
// do.
bool IsEmptyGraph(std::string_view bytes) {
  constexpr uint32_t kLibrary = util::LengthTag(2);
  constexpr uint32_t kVersions = util::LengthTag(4);
  constexpr uint32_t kOldVersion = 3 << 3;
  util::WireReader r(bytes);
  while (r.Next()) {
    if (r.tag() == kOldVersion) continue;
    if (r.tag() != kLibrary && r.tag() != kVersions) return false;
    util::WireReader inside(r.view());
    while (inside.Next()) {
    }
    if (inside.damaged()) return false;
  }
  return !r.damaged();
}

class Loader {
 public:
  Loader(const std::shared_ptr<const loaders::InputFile>& file,
         loaders::LoadContext& context)
      : file_(*file), context_(context), builder_(context.builder) {
    input_ = builder_.AddInput(std::make_shared<GraphDefDetails>(file));
  }

  absl::Status Load() {
    const std::string_view bytes = file_.bytes();
    loaders::FileCutter cutter(bytes, kPieceBytes, *context_.progress,
                               context_.work.cancellation);
    std::vector<Parsed> parsed(cutter.max_pieces());
    size_t nodes = 0;
    util::ParallelPipeline(
        context_.work, parsed.size(),
        [&](size_t i) {
          const util::ScopedPhase phase("parse", file_.path());
          PieceParser(file_, parsed[i]).Run(cutter.Get(i));
        },
        [&](size_t i) {
          const util::ScopedPhase phase("intern", file_.path());
          nodes += parsed[i].num_records;
          Add(parsed[i]);
          if (i == kSamplePieces) Reserve(cutter.Get(i + 1).offset);
          parsed[i] = Parsed();
        });
    const util::WireReader& graph = cutter.reader();
    if (nodes == 0 && !IsEmptyGraph(bytes)) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {}", file_.path(),
          graph.damaged() ? graph.Describe(0) +
                                ": not a GraphDef, or cut off in its first node"
                          : fmt::format("no nodes in {} bytes: not a GraphDef",
                                        bytes.size())));
    }
    if (graph.damaged()) {
      loaders::LogDamage(file_, graph, bytes, "GraphDef", /*kept=*/true,
                         context_.log);
    }
    return absl::OkStatus();
  }

 private:
  // Growing columns are copied again and again. So after some pieces, memory is
  // reserved as if the rest of the file were like them.
  void Reserve(size_t bytes) {
    const profile::NodeTable& nodes = builder_.graph().nodes;
    const double more = 1.05 * static_cast<double>(file_.bytes().size()) /
                            static_cast<double>(bytes) -
                        1;
    const auto rest = [&](size_t so_far) {
      return static_cast<size_t>(static_cast<double>(so_far) * more);
    };
    builder_.ReserveNodes(rest(nodes.size()), rest(nodes.edge_source.size()));
  }

  void Add(const Parsed& piece) {
    profile::GraphTables& graph = builder_.mutable_graph();
    names_.clear();
    for (size_t i = 0; i < piece.names.size(); ++i) {
      if (i + 2 * kAhead < piece.names.size()) {
        graph.strings.PrefetchSlot(piece.names[i + 2 * kAhead].hash);
        graph.strings.PrefetchString(piece.names[i + kAhead].hash);
      }
      names_.push_back(
          graph.strings.Intern(piece.names[i].text, piece.names[i].hash));
    }
    std::vector<profile::ShapeId> shapes(piece.shapes.size());
    for (profile::ShapeId s = 0; s < shapes.size(); ++s) {
      shapes[s] = graph.shapes.Intern(piece.shapes[s]);
    }
    for (size_t i = 0; i < piece.nodes.size(); ++i) {
      const Parsed::Node& node = piece.nodes[i];
      const bool last = i + 1 == piece.nodes.size();
      const size_t end_input =
          last ? piece.inputs.size() : piece.nodes[i + 1].first_input;
      const size_t end_shape =
          last ? piece.output_shapes.size() : piece.nodes[i + 1].first_shape;
      const profile::NodeId n =
          builder_.AddNode(names_[node.name], names_[node.op],
                           profile::MakeRecordRef(input_, node.offset));
      if (n == profile::kNone) {
        context_.log.Add(
            loaders::ImportLog::kNotice, "duplicate node",
            fmt::format("{}: byte {}: node {} is defined twice; the first "
                        "definition is kept",
                        file_.path(), node.offset,
                        piece.names[node.name].text));
        continue;
      }
      graph.nodes.parameter_shape[n] = shapes[node.parameter_shape];
      // The reference parses the output only in debug builds; otherwise it sees
      // 0.
      builder_.AddEdges(end_input - node.first_input, [&](size_t e) {
        const Parsed::Input& input = piece.inputs[node.first_input + e];
        return std::pair(names_[input.source], input.output);
      });
      for (size_t s = node.first_shape; s < end_shape; ++s) {
        builder_.AddOutputShape(static_cast<int32_t>(s - node.first_shape),
                                shapes[piece.output_shapes[s]]);
      }
    }
    context_.log.Append(piece.log);
  }

  // How many names ahead of their use are prefetched.
  static constexpr size_t kAhead = 8;

  const loaders::InputFile& file_;
  loaders::LoadContext& context_;
  profile::ProfileBuilder& builder_;
  uint32_t input_ = 0;
  std::vector<profile::StringId> names_;  // of the piece being added
};

}  // namespace

absl::Status LoadGraphDef(const std::shared_ptr<const loaders::InputFile>& file,
                          loaders::LoadContext& context) {
  return Loader(file, context).Load();
}

}  // namespace tfprof::tensorflow
