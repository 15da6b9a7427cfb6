#include "loaders/tensorflow/profile_proto/profile_proto.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "loaders/core/file_cutter.h"
#include "loaders/core/saved_counters.h"
#include "loaders/tensorflow/attributes.h"
#include "loaders/tensorflow/call_stacks.h"
#include "loaders/tensorflow/device_names.h"
#include "loaders/tensorflow/profile_proto/exec_profile.h"
#include "loaders/tensorflow/profile_proto/fields.h"
#include "loaders/tensorflow/profile_proto/file_steps.h"
#include "loaders/tensorflow/profile_proto/profile_piece.h"
#include "util/run/self_profile.h"
#include "util/run/threads.h"

namespace tfprof::tensorflow {
namespace {

class ProfileProtoDetails : public profile::DetailReader {
 public:
  explicit ProfileProtoDetails(std::shared_ptr<const loaders::InputFile> file)
      : file_(std::move(file)) {}

  // `offset` is the offset of a ProfileProto.nodes field.
  profile::AttributeList Attributes(uint64_t offset) const override {
    util::WireReader r(file_->bytes().substr(offset));
    util::MapEntry entry;
    if (!r.Next() || !util::ReadMapEntry(r.view(), entry)) return {};
    return ReadAttributes(entry.value, profile_node::kAttrs);
  }
  // `offset` is the offset of a ProfileNode.execs field.
  profile::ExecutionDetail Execution(uint64_t offset, bool) const override {
    util::WireReader r(file_->bytes().substr(offset));
    util::MapEntry entry;
    if (!r.Next() || !util::ReadMapEntry(r.view(), entry)) return {};
    return ReadExecProfileDetail(entry.value);
  }
  bool record_is_group() const override { return true; }

 private:
  std::shared_ptr<const loaders::InputFile> file_;
};

// One core parses a piece of this size at a time.
constexpr size_t kPieceBytes = 1 << 20;

class Loader {
 public:
  Loader(const std::shared_ptr<const loaders::InputFile>& file,
         loaders::LoadContext& context)
      : file_(*file),
        context_(context),
        builder_(context.builder),
        stacks_(context.builder) {
    input_ = builder_.AddInput(std::make_shared<ProfileProtoDetails>(file));
  }

  absl::Status Load() {
    const std::string_view bytes = file_.bytes();
    loaders::FileCutter cutter(bytes, kPieceBytes, *context_.progress,
                               context_.work.cancellation);
    std::vector<ProfilePiece> pieces(cutter.max_pieces());
    bool known = false;
    // Strings, steps and all node names are read first, because nodes refer to
    // them.
    util::ParallelPipeline(
        context_.work, pieces.size(),
        [&](size_t i) {
          const util::ScopedPhase phase("parse", file_.path());
          pieces[i] = ParseProfilePiece(file_, input_, cutter.Get(i).bytes);
        },
        [&](size_t i) {
          const util::ScopedPhase phase("intern", file_.path());
          known |= pieces[i].known;
          AddNames(pieces[i]);
        });
    const util::WireReader& profile = cutter.reader();
    if (!known && (profile.damaged() || !bytes.empty())) {
      return absl::InvalidArgumentError(fmt::format(
          "{}: {}: not a ProfileProto", file_.path(),
          profile.damaged()
              ? profile.Describe(0)
              : fmt::format("no field of it in {} bytes", bytes.size())));
    }
    if (profile.damaged()) {
      loaders::LogDamage(file_, profile, bytes, "ProfileProto", /*kept=*/true,
                         context_.log);
    }
    const util::ScopedPhase phase("add nodes", file_.path());
    builder_.ReserveNodes(nodes_.size(), num_edges_);
    size_t place = 0;
    for (ProfilePiece& piece : pieces) {
      AddNodes(piece, place);
      piece = ProfilePiece();
    }
    // Only tfprof's files have the outputs of inputs; TensorFlow's have output
    // 0 for all.
    if (!names_outputs_) builder_.mutable_graph().nodes.misses_outputs = true;
    AddKernelCounters();
    return AddFileSteps(std::move(steps_), file_.path(), context_);
  }

 private:
  // A node of the file, in file order.
  struct Entry {
    profile::StringId name = profile::kNone;
    bool replaced = false;  // a later entry has the same id
  };

  void AddNames(const ProfilePiece& piece) {
    profile::GraphTables& graph = builder_.mutable_graph();
    graph.has_code_traces |= piece.has_trace;
    names_outputs_ |= piece.names_outputs;
    if (!piece.kernel_counters.empty()) {
      kernel_counters_ = piece.kernel_counters;
    }
    for (const std::string_view entry : piece.strings) {
      if (!stacks_.AddString(entry)) {
        LogDropped(file_, entry, "string of profile", context_.log);
      }
    }
    for (const int64_t step : piece.steps) steps_[step].listed = true;
    for (const ProfilePiece::Node& node : piece.nodes) {
      const profile::HashedName& name = piece.names[node.name];
      const auto [it, is_new] =
          entry_of_id_.try_emplace(node.id, nodes_.size());
      if (!is_new) nodes_[it->second].replaced = true;  // the last one wins
      it->second = nodes_.size();
      nodes_.push_back({graph.strings.Intern(name.text, name.hash), false});
    }
    num_edges_ += piece.edges.size();
    context_.log.Append(piece.log);
  }

  void AddKernelCounters() {
    if (kernel_counters_.empty()) return;
    profile::GraphTables& graph = builder_.mutable_graph();
    const loaders::SavedCounterPlaces places = {
        .node =
            [&](int64_t number) {
              if (number <= 0) return profile::kNone;
              const auto it = entry_of_id_.find(number - 1);
              return it == entry_of_id_.end()
                         ? profile::kNone
                         : graph.nodes.Find(nodes_[it->second].name);
            },
        .lane =
            [&](int64_t, std::string_view device) {
              return DeviceLane(device, graph);
            },
    };
    profile::KernelCounters counters;
    if (!loaders::ReadSavedCounters(kernel_counters_, places, graph.strings,
                                    counters)) {
      LogDropped(file_, kernel_counters_, "counters of kernels", context_.log);
      return;
    }
    builder_.SetKernelCounters(std::move(counters));
  }

  // `place` is the index of the piece's first node among all nodes; it is
  // advanced to the next piece.
  void AddNodes(ProfilePiece& piece, size_t& place) {
    profile::GraphTables& graph = builder_.mutable_graph();
    names_.clear();
    for (const profile::HashedName& name : piece.names) {
      names_.push_back(graph.strings.Intern(name.text, name.hash));
    }
    lanes_.clear();
    for (profile::DeviceId d = 0; d < piece.devices.size(); ++d) {
      lanes_.push_back(DeviceLane(piece.devices.name(d), graph));
    }
    shapes_.clear();
    for (profile::ShapeId s = 0; s < piece.shapes.size(); ++s) {
      shapes_.push_back(graph.shapes.Intern(piece.shapes[s]));
    }
    Begin begin;
    for (const ProfilePiece::Node& node : piece.nodes) {
      const Entry& entry = nodes_[place++];
      if (!entry.replaced && !AddNode(piece, node, entry.name, begin)) {
        LogDropped(file_, node.bytes, "part of a profile node", context_.log);
      }
      begin = {node.end_type, node.end_edge, node.end_shape, node.end_group};
    }
  }

  // Where the lists of a node begin.
  struct Begin {
    size_t type = 0, edge = 0, shape = 0, group = 0;
  };

  bool AddNode(ProfilePiece& piece, const ProfilePiece::Node& node,
               profile::StringId name, const Begin& begin) {
    bool good = node.good;
    profile::GraphTables& graph = builder_.mutable_graph();
    // Read before the node is looked up, because a known node may need it too.
    profile::StackId stack = profile::kNoStack;
    if (node.has_trace) good &= stacks_.ReadCodeDef(node.trace, stack);
    const profile::NodeId n = builder_.AddNode(
        name, names_[node.op], profile::MakeRecordRef(input_, node.offset));
    if (n == profile::kNone) {
      // In a second profile of the same program, the node exists already, but
      // its steps are new.
      const profile::NodeId known = graph.nodes.Find(name);
      if (known < first_new_node_) {
        if (node.ran_elsewhere) builder_.SetRanElsewhere(known);
        AddMissing(piece, node, begin.type, stack, known);
        AddGroups(piece, node, begin.group, known);
        return good;
      }
      context_.log.Add(
          loaders::ImportLog::kDamage, "duplicate node",
          fmt::format("{}: byte {}: node {} is in the profile twice; the "
                      "first one is kept",
                      file_.path(), file_.OffsetOf(node.bytes),
                      graph.strings.Get(name)));
      return true;
    }
    AddTypes(piece, begin.type, node.end_type, n);
    graph.nodes.parameter_shape[n] = shapes_[node.parameter_shape];
    if (node.device != profile::kNone)
      graph.nodes.device[n] = DeviceOf(node.device);
    if (node.float_ops != 0) builder_.SetFloatOps(n, node.float_ops);
    if (node.ran_elsewhere) builder_.SetRanElsewhere(n);
    graph.nodes.stack[n] = stack;
    for (size_t e = begin.edge; e < node.end_edge; ++e) {
      const ProfilePiece::Edge& edge = piece.edges[e];
      builder_.AddEdge(
          edge.dangling ? names_[edge.source] : Source(edge.source),
          edge.position, edge.seen_output, edge.output);
    }
    for (size_t s = begin.shape; s < node.end_shape; ++s) {
      builder_.AddOutputShape(piece.output_shapes[s].index,
                              shapes_[piece.output_shapes[s].shape]);
    }
    AddGroups(piece, node, begin.group, n);
    return good;
  }

  // Adds to a node what earlier files did not have.
  void AddMissing(const ProfilePiece& piece, const ProfilePiece::Node& node,
                  size_t first_type, profile::StackId stack,
                  profile::NodeId n) {
    profile::GraphTables& graph = builder_.mutable_graph();
    profile::NodeTable& nodes = graph.nodes;
    for (size_t t = first_type; t < node.end_type; ++t) {
      const profile::StringId type = names_[piece.types[t]];
      const auto known = graph.type_sets[nodes.types[n]];
      if (std::find(known.begin(), known.end(), type) == known.end()) {
        builder_.AddType(n, type);
      }
    }
    if (nodes.device[n] == profile::kNone && node.device != profile::kNone) {
      nodes.device[n] = DeviceOf(node.device);
    }
    if (nodes.FloatOps(n) == 0 && node.float_ops != 0) {
      builder_.SetFloatOps(n, node.float_ops);
    }
    if (nodes.stack[n] == profile::kNoStack) nodes.stack[n] = stack;
    if (nodes.parameter_shape[n] == profile::kUnknownShape) {
      nodes.parameter_shape[n] = shapes_[node.parameter_shape];
    }
  }

  void AddTypes(const ProfilePiece& piece, size_t begin, size_t end,
                profile::NodeId n) {
    profile::GraphTables& graph = builder_.mutable_graph();
    types_.clear();
    for (size_t t = begin; t < end; ++t) {
      types_.push_back(names_[piece.types[t]]);
    }
    const auto [known, is_new] =
        set_of_types_.try_emplace(types_, profile::kNoTypes);
    if (is_new) {
      known->second =
          graph.type_sets.AddAll(profile::kNoTypes, types_, graph.strings);
    }
    graph.nodes.types[n] = known->second;
  }

  // Maps a device of the piece to a device in the profile.
  profile::DeviceId DeviceOf(profile::DeviceId of_piece) const {
    return builder_.graph().lanes[lanes_[of_piece]].device;
  }

  // Returns the name of a node of the file.
  profile::StringId Source(int64_t id) {
    const auto source = entry_of_id_.find(id);
    if (source != entry_of_id_.end()) return nodes_[source->second].name;
    context_.log.Add(
        loaders::ImportLog::kDamage, "input of an unknown node",
        fmt::format("{}: an input names node id {}, which is not in the "
                    "profile",
                    file_.path(), id));
    return profile::kNone;
  }

  void AddGroups(ProfilePiece& piece, const ProfilePiece::Node& node,
                 size_t first, profile::NodeId n) {
    for (size_t g = first; g < node.end_group; ++g) {
      ProfilePiece::Group& group = piece.groups[g];
      const size_t begin = g == 0 ? 0 : piece.groups[g - 1].end_record;
      for (size_t r = begin; r < group.end_record; ++r) {
        profile::ExecutionRecord& record = piece.records[r];
        record.node = n;
        if (record.lane != profile::kNone) record.lane = lanes_[record.lane];
      }
      group.sums.node = n;
      FileStep& step = steps_[group.step];
      step.sums.push_back(group.sums);
      step.first_record.push_back(step.records.size());
      step.records.insert(step.records.end(), piece.records.data() + begin,
                          piece.records.data() + group.end_record);
    }
  }

  const loaders::InputFile& file_;
  loaders::LoadContext& context_;
  profile::ProfileBuilder& builder_;
  CallStackReader stacks_;
  uint32_t input_ = 0;
  const profile::NodeId first_new_node_ =
      static_cast<profile::NodeId>(builder_.graph().nodes.size());
  std::map<int64_t, FileStep> steps_;
  std::vector<Entry> nodes_;
  size_t num_edges_ = 0;
  std::string_view kernel_counters_;
  bool names_outputs_ = false;
  absl::flat_hash_map<int64_t, size_t> entry_of_id_;  // into nodes_
  absl::flat_hash_map<std::vector<profile::StringId>, profile::TypeSetId>
      set_of_types_;
  // For the current piece, by its own ids.
  std::vector<profile::StringId> names_;
  std::vector<profile::LaneId> lanes_;
  std::vector<profile::ShapeId> shapes_;
  std::vector<profile::StringId> types_;
};

}  // namespace

absl::Status LoadProfileProto(
    const std::shared_ptr<const loaders::InputFile>& file,
    loaders::LoadContext& context) {
  return Loader(file, context).Load();
}

}  // namespace tfprof::tensorflow
