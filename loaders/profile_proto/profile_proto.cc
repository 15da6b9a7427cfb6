#include "loaders/profile_proto/profile_proto.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "loaders/attributes.h"
#include "loaders/op_log/op_log.h"
#include "loaders/profile_proto/exec_profile.h"

namespace tfprof {
namespace {

// ProfileProto.
constexpr uint32_t kNodes = LengthTag(1);
constexpr uint32_t kHasTrace = VarintTag(2);
constexpr uint32_t kStepsField = 3;
constexpr uint32_t kIdToString = LengthTag(4);
// ProfileNode.
constexpr uint32_t kName = LengthTag(1);
constexpr uint32_t kInputs = LengthTag(2);
constexpr uint32_t kShapeField = 4;
constexpr uint32_t kOpTypes = LengthTag(5);
constexpr uint32_t kCanonicalDevice = LengthTag(6);
constexpr uint32_t kFloatOps = VarintTag(8);
constexpr uint32_t kOp = LengthTag(9);
constexpr uint32_t kTrace = LengthTag(10);
constexpr uint32_t kAttrsField = 11;
constexpr uint32_t kExecs = LengthTag(12);
constexpr uint32_t kSrcOutputIndex = LengthTag(14);
constexpr uint32_t kOutputShapes = LengthTag(15);
constexpr uint32_t kDanglingInputs = LengthTag(1000);
constexpr uint32_t kInputOutputIndex = LengthTag(1001);

class ProfileProtoDetails : public DetailReader {
 public:
  explicit ProfileProtoDetails(std::shared_ptr<const InputFile> file)
      : file_(std::move(file)) {}

  // `offset` is that of a ProfileProto.nodes field.
  std::vector<std::pair<std::string_view, std::string_view>> Attributes(
      uint64_t offset) const override {
    WireReader r(file_->bytes().substr(offset));
    MapEntry entry;
    if (!r.Next() || !ReadMapEntry(r.view(), entry)) return {};
    return ReadAttributes(entry.value, kAttrsField);
  }
  // `offset` is that of a ProfileNode.execs field.
  ExecutionDetail Execution(uint64_t offset, bool) const override {
    WireReader r(file_->bytes().substr(offset));
    MapEntry entry;
    if (!r.Next() || !ReadMapEntry(r.view(), entry)) return {};
    return ReadExecProfileDetail(entry.value);
  }
  bool record_is_group() const override { return true; }

 private:
  std::shared_ptr<const InputFile> file_;
};

// A node of the file: where it is.
struct NodeEntry {
  int64_t id = 0;
  std::string_view node;  // ProfileNode
  uint64_t offset = 0;    // of the field that holds it
  bool replaced = false;  // by a later entry of its id
};

class Loader {
 public:
  Loader(std::shared_ptr<const InputFile> file, LoadContext& context)
      : file_(*file), context_(context), builder_(context.builder) {
    input_ = builder_.AddInput(std::make_shared<ProfileProtoDetails>(file));
  }

  absl::Status Load() {
    const std::string_view bytes = file_.bytes();
    context_.last_stack.clear();  // of another file, with other ids
    context_.frame_of_bytes.clear();
    // Strings, steps and the ids of all nodes first: nodes refer to them.
    WireReader profile(bytes);
    uint64_t field = 0;
    bool known = false;
    std::vector<int64_t> steps;
    while (profile.Next()) {
      known |= profile.number() <= 5;
      if (profile.tag() == kNodes) {
        AddNodeEntry(profile.view(), field);
      } else if (profile.tag() == kIdToString) {
        if (!ReadIdToString(profile.view(), context_)) {
          Dropped(profile.view(), "string of profile");
        }
      } else if (profile.tag() == kHasTrace) {
        builder_.mutable_graph().has_code_traces |= profile.value() != 0;
      } else if (profile.number() == kStepsField) {
        if (!AppendInts(profile, steps)) Dropped(profile.view(), "step list");
      }
      field = profile.good_bytes();
    }
    if (!known && (profile.damaged() || !bytes.empty())) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {}: not a ProfileProto", file_.path(),
          profile.damaged()
              ? profile.Describe(0)
              : fmt::format("no field of it in {} bytes", bytes.size())));
    }
    if (profile.damaged()) {
      LogDamage(file_, profile, bytes, "ProfileProto", /*kept=*/true,
                context_.log);
    }
    for (const int64_t step : steps) builder_.AddStep(step);
    for (const NodeEntry& entry : nodes_) {
      if (entry.replaced) continue;
      if (!ReadNode(entry)) Dropped(entry.node, "part of a profile node");
    }
    return absl::OkStatus();
  }

 private:
  void Dropped(std::string_view part, std::string_view what) {
    context_.log.Add(
        ImportLog::kDamage, fmt::format("{} dropped", what),
        fmt::format("{}: byte {}: {} is damaged ({} bytes)", file_.path(),
                    file_.OffsetOf(part), what, part.size()));
  }

  void AddNodeEntry(std::string_view bytes, uint64_t offset) {
    MapEntry entry;
    if (!ReadMapEntry(bytes, entry)) return Dropped(bytes, "profile node");
    // A node of nothing but defaults has no value; it has a place all the same.
    if (entry.value.data() == nullptr) entry.value = bytes.substr(0, 0);
    std::string_view name;
    WireReader node(entry.value);
    while (node.Next()) {
      if (node.tag() == kName) name = node.view();
    }
    const auto [it, is_new] =
        entry_of_id_.try_emplace(entry.int_key, nodes_.size());
    if (!is_new) nodes_[it->second].replaced = true;  // the last one counts
    it->second = nodes_.size();
    nodes_.push_back({entry.int_key, entry.value, offset, false});
    names_.push_back(builder_.mutable_graph().strings.Intern(name));
  }

  bool ReadNode(const NodeEntry& entry) {
    bool good = true;
    std::string_view op, device;
    std::vector<std::pair<int64_t, int64_t>> inputs, src_output;
    std::vector<std::pair<int32_t, ShapeId>> shapes;
    std::vector<std::pair<int32_t, std::string_view>> dangling;
    std::vector<std::pair<int32_t, int32_t>> real_output;
    std::vector<StringId> types;
    int64_t float_ops = 0;
    StackId stack = kNoStack;
    std::vector<int64_t> dims;
    GraphTables& graph = builder_.mutable_graph();
    WireReader r(entry.node);
    MapEntry pair;
    while (r.Next()) {
      switch (r.tag()) {
        case kInputs:
          if (good &= ReadMapEntry(r.view(), pair)) {
            inputs.push_back({pair.int_key, pair.int_value});
          }
          break;
        case kOpTypes:
          types.push_back(graph.strings.Intern(r.view()));
          break;
        case kCanonicalDevice:
          device = r.view();
          break;
        case kFloatOps:
          float_ops = r.int64();
          break;
        case kOp:
          op = r.view();
          break;
        case kTrace:
          good &= ReadCodeDef(r.view(), context_, stack);
          break;
        case kSrcOutputIndex:
          if (good &= ReadMapEntry(r.view(), pair)) {
            src_output.push_back({pair.int_key, pair.int_value});
          }
          break;
        case kOutputShapes:
          good &= ReadMapEntry(r.view(), pair);
          shapes.push_back(
              {static_cast<int32_t>(pair.int_key), ReadTuple(pair.value)});
          break;
        case kDanglingInputs:
          good &= ReadMapEntry(r.view(), pair);
          dangling.push_back({static_cast<int32_t>(pair.int_key), pair.value});
          break;
        case kInputOutputIndex:
          good &= ReadMapEntry(r.view(), pair);
          real_output.push_back({static_cast<int32_t>(pair.int_key),
                                 static_cast<int32_t>(pair.int_value)});
          break;
        default:
          if (r.number() == kShapeField) good &= AppendInts(r, dims);
      }
    }
    good &= !r.damaged();

    const StringId name = names_[&entry - nodes_.data()];
    const NodeId n = builder_.AddNode(graph.strings.Get(name), op,
                                      MakeRecordRef(input_, entry.offset));
    if (n == kNone) {
      // In a second profile of the same program: the node is there, its
      // steps are new.
      const NodeId known = graph.nodes.Find(name);
      if (known < first_new_node_) return ReadExecs(entry, known) && good;
      context_.log.Add(
          ImportLog::kDamage, "duplicate node",
          fmt::format("{}: byte {}: node {} stands in the profile twice; the "
                      "first one stays",
                      file_.path(), file_.OffsetOf(entry.node),
                      graph.strings.Get(name)));
      return true;
    }
    graph.nodes.types[n] =
        graph.type_sets.AddAll(kNoTypes, std::move(types), graph.strings);
    graph.nodes.parameter_shape[n] = graph.shapes.Intern(dims);
    if (!device.empty()) {
      graph.nodes.device[n] = graph.devices.Intern(device);
    }
    if (float_ops != 0) builder_.SetFloatOps(n, float_ops);
    graph.nodes.stack[n] = stack;
    AddInputs(inputs, dangling, src_output, real_output);
    Sort(shapes);
    for (const auto& [index, shape] : shapes) {
      builder_.AddOutputShape(index, shape);
    }
    return ReadExecs(entry, n) && good;
  }

  // Ascending keys; of equal keys the last entry.
  template <typename K, typename V>
  static void Sort(std::vector<std::pair<K, V>>& map) {
    const auto less = [](const auto& a, const auto& b) {
      return a.first < b.first;
    };
    if (map.size() > 32) {
      std::stable_sort(map.begin(), map.end(), less);
    } else {
      // Most maps have two entries; stable_sort would allocate for them.
      for (size_t i = 1; i < map.size(); ++i) {
        for (size_t j = i; j > 0 && less(map[j], map[j - 1]); --j) {
          std::swap(map[j], map[j - 1]);
        }
      }
    }
    size_t kept = 0;
    for (size_t i = 0; i < map.size(); ++i) {
      if (i + 1 < map.size() && map[i].first == map[i + 1].first) continue;
      map[kept++] = map[i];
    }
    map.resize(kept);
  }

  template <typename K, typename V>
  static V Lookup(const std::vector<std::pair<K, V>>& map, K key, V otherwise) {
    const auto it = std::lower_bound(
        map.begin(), map.end(), key,
        [](const auto& entry, K key) { return entry.first < key; });
    return it != map.end() && it->first == key ? it->second : otherwise;
  }

  void AddInputs(
      std::vector<std::pair<int64_t, int64_t>>& inputs,
      const std::vector<std::pair<int32_t, std::string_view>>& dangling,
      std::vector<std::pair<int64_t, int64_t>>& src_output,
      std::vector<std::pair<int32_t, int32_t>>& real_output) {
    struct Edge {
      int32_t position;
      StringId source;
      int32_t seen_output;
    };
    Sort(inputs);
    Sort(src_output);
    Sort(real_output);
    std::vector<Edge> edges;
    edges.reserve(inputs.size() + dangling.size());
    for (const auto& [position, id] : inputs) {
      const auto source = entry_of_id_.find(id);
      if (source == entry_of_id_.end()) {
        context_.log.Add(
            ImportLog::kDamage, "input of an unknown node",
            fmt::format("{}: an input names node id {}, which is not in the "
                        "profile",
                        file_.path(), id));
      }
      edges.push_back(
          {static_cast<int32_t>(position),
           source == entry_of_id_.end() ? kNone : names_[source->second],
           static_cast<int32_t>(Lookup<int64_t, int64_t>(src_output, id, 0))});
    }
    for (const auto& [position, name] : dangling) {
      edges.push_back(
          {position, builder_.mutable_graph().strings.Intern(name), 0});
    }
    std::stable_sort(
        edges.begin(), edges.end(),
        [](const Edge& a, const Edge& b) { return a.position < b.position; });
    for (const Edge& edge : edges) {
      builder_.AddEdge(edge.source, edge.position, edge.seen_output,
                       Lookup<int32_t, int32_t>(real_output, edge.position, 0));
    }
  }

  ShapeId ReadTuple(std::string_view tuple) {
    std::vector<int64_t> dims;
    WireReader r(tuple);
    while (r.Next()) {
      if (r.number() == 1) AppendInts(r, dims);
    }
    return builder_.mutable_graph().shapes.Intern(dims);
  }

  bool ReadExecs(const NodeEntry& entry, NodeId n) {
    bool good = true;
    WireReader r(entry.node);
    const uint64_t base = file_.OffsetOf(entry.node);
    uint64_t field = base;
    std::vector<std::pair<int64_t, std::pair<std::string_view, uint64_t>>>
        execs;
    MapEntry pair;
    while (r.Next()) {
      if (r.tag() == kExecs && (good &= ReadMapEntry(r.view(), pair))) {
        execs.push_back({pair.int_key, {pair.value, field}});
      }
      field = base + r.good_bytes();
    }
    Sort(execs);
    for (const auto& [step, exec] : execs) {
      GroupTotals totals;
      totals.node = n;
      records_.clear();
      good &=
          ReadExecProfile(exec.first, n, MakeRecordRef(input_, exec.second),
                          builder_.mutable_graph().devices, totals, records_);
      builder_.AddGroup(step, totals, records_);
    }
    return good;
  }

  const InputFile& file_;
  LoadContext& context_;
  ProfileBuilder& builder_;
  uint32_t input_ = 0;
  const NodeId first_new_node_ =
      static_cast<NodeId>(builder_.graph().nodes.size());
  std::vector<NodeEntry> nodes_;
  std::vector<StringId> names_;  // of nodes_
  absl::flat_hash_map<int64_t, size_t> entry_of_id_;
  std::vector<ExecutionRecord> records_;
};

}  // namespace

absl::Status LoadProfileProto(std::shared_ptr<const InputFile> file,
                              LoadContext& context) {
  return Loader(std::move(file), context).Load();
}

}  // namespace tfprof
