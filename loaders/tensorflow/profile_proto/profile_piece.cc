#include "loaders/tensorflow/profile_proto/profile_piece.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "loaders/tensorflow/profile_proto/exec_profile.h"
#include "loaders/tensorflow/profile_proto/fields.h"
#include "util/files/wire.h"
#include "util/text/ascii.h"

namespace tfprof::tensorflow {
namespace {

template <typename K, typename V>
using Pairs = std::vector<std::pair<K, V>>;

// Sorts by key, and keeps the last entry of each key.
template <typename K, typename V>
void Sort(Pairs<K, V>& map) {
  const auto less = [](const auto& a, const auto& b) {
    return a.first < b.first;
  };
  if (map.size() > 32) {
    std::stable_sort(map.begin(), map.end(), less);
  } else {
    // Most maps have two entries; stable_sort would allocate memory for them.
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
V Lookup(const Pairs<K, V>& map, K key, V otherwise) {
  const auto it = std::lower_bound(
      map.begin(), map.end(), key,
      [](const auto& entry, K key) { return entry.first < key; });
  return it != map.end() && it->first == key ? it->second : otherwise;
}

class Parser {
 public:
  Parser(const loaders::InputFile& file, uint32_t input, ProfilePiece& piece)
      : file_(file), input_(input), piece_(piece), names_(piece.names) {}

  void Run(std::string_view bytes) {
    names_.Reserve(bytes.size() / 400);
    const uint64_t begin = file_.OffsetOf(bytes);
    uint64_t field = begin;
    util::WireReader profile(bytes);
    while (profile.Next()) {
      piece_.known |= profile.number() <= 5;
      if (profile.tag() == profile_field::kNodes) {
        ReadEntry(profile.view(), field);
      } else if (profile.tag() == profile_field::kIdToString) {
        piece_.strings.push_back(profile.view());
      } else if (profile.tag() == profile_field::kHasTrace) {
        piece_.has_trace |= profile.value() != 0;
      } else if (profile.tag() == profile_field::kKernelCounters) {
        piece_.kernel_counters = profile.view();
      } else if (profile.number() == profile_field::kSteps) {
        if (!util::AppendInts(profile, piece_.steps)) {
          LogDropped(file_, profile.view(), "step list", piece_.log);
        }
      }
      field = begin + profile.good_bytes();
    }
  }

 private:
  void ReadEntry(std::string_view bytes, uint64_t offset) {
    util::MapEntry entry;
    if (!util::ReadMapEntry(bytes, entry)) {
      return LogDropped(file_, bytes, "profile node", piece_.log);
    }
    // A node with only default values has no value field, but still needs an
    // offset.
    if (entry.value.data() == nullptr) entry.value = bytes.substr(0, 0);
    ProfilePiece::Node node;
    node.id = entry.int_key;
    node.offset = offset;
    node.bytes = entry.value;
    ReadNode(node);
    piece_.nodes.push_back(node);
  }

  void ReadNode(ProfilePiece::Node& node) {
    inputs_.clear();
    src_output_.clear();
    real_output_.clear();
    dangling_.clear();
    shapes_.clear();
    execs_.clear();
    dims_.clear();
    std::string_view name, op, device;
    bool& good = node.good;
    util::MapEntry pair;
    util::WireReader r(node.bytes);
    const uint64_t base = file_.OffsetOf(node.bytes);
    uint64_t field = base;
    while (r.Next()) {
      switch (r.tag()) {
        case profile_node::kName:
          name = r.view();
          break;
        case profile_node::kInputs:
          if (good &= util::ReadMapEntry(r.view(), pair)) {
            inputs_.push_back({pair.int_key, pair.int_value});
          }
          break;
        case profile_node::kOpTypes:
          piece_.types.push_back(names_.Number(r.view()));
          break;
        case profile_node::kCanonicalDevice:
          device = r.view();
          break;
        case profile_node::kFloatOps:
          node.float_ops = r.int64();
          break;
        case profile_node::kOp:
          op = r.view();
          break;
        case profile_node::kTrace:
          node.trace = r.view();
          node.has_trace = true;
          break;
        case profile_node::kExecs:
          if (good &= util::ReadMapEntry(r.view(), pair)) {
            execs_.push_back({pair.int_key, {pair.value, field}});
          }
          break;
        case profile_node::kSrcOutputIndex:
          if (good &= util::ReadMapEntry(r.view(), pair)) {
            src_output_.push_back({pair.int_key, pair.int_value});
          }
          break;
        case profile_node::kOutputShapes:
          good &= util::ReadMapEntry(r.view(), pair);
          shapes_.push_back({static_cast<int32_t>(pair.int_key),
                             ReadTuple(pair.value, good)});
          break;
        case profile_node::kDanglingInputs:
          good &= util::ReadMapEntry(r.view(), pair);
          dangling_.push_back({static_cast<int32_t>(pair.int_key), pair.value});
          break;
        case profile_node::kInputOutputIndex:
          good &= util::ReadMapEntry(r.view(), pair);
          real_output_.push_back({static_cast<int32_t>(pair.int_key),
                                  static_cast<int32_t>(pair.int_value)});
          piece_.names_outputs = true;
          break;
        case profile_node::kRanElsewhere:
          node.ran_elsewhere = r.value() != 0;
          break;
        default:
          if (r.number() == profile_node::kShape)
            good &= util::AppendInts(r, dims_);
      }
      field = base + r.good_bytes();
    }
    good &= !r.damaged();
    node.name = names_.Number(name);
    node.op = names_.Number(op);
    if (!device.empty())
      node.device = piece_.devices.Intern(util::LowerCase(device));
    node.parameter_shape = piece_.shapes.Intern(dims_);
    node.end_type = piece_.types.size();
    AddEdges();
    node.end_edge = piece_.edges.size();
    Sort(shapes_);
    for (const auto& [index, shape] : shapes_) {
      piece_.output_shapes.push_back({index, shape});
    }
    node.end_shape = piece_.output_shapes.size();
    good &= AddGroups();
    node.end_group = piece_.groups.size();
  }

  void AddEdges() {
    Sort(inputs_);
    Sort(src_output_);
    Sort(real_output_);
    const size_t first = piece_.edges.size();
    for (const auto& [position, id] : inputs_) {
      piece_.edges.push_back({.position = static_cast<int32_t>(position),
                              .seen_output = static_cast<int32_t>(
                                  Lookup<int64_t, int64_t>(src_output_, id, 0)),
                              .source = id});
    }
    for (const auto& [position, name] : dangling_) {
      piece_.edges.push_back({.position = position,
                              .dangling = true,
                              .source = names_.Number(name)});
    }
    const auto begin = piece_.edges.begin() + static_cast<ptrdiff_t>(first);
    if (!dangling_.empty()) {
      std::stable_sort(
          begin, piece_.edges.end(),
          [](const ProfilePiece::Edge& a, const ProfilePiece::Edge& b) {
            return a.position < b.position;
          });
    }
    for (auto edge = begin; edge != piece_.edges.end(); ++edge) {
      edge->output = Lookup<int32_t, int32_t>(real_output_, edge->position, 0);
    }
  }

  // Sets `good` to false on damage.
  profile::ShapeId ReadTuple(std::string_view tuple, bool& good) {
    tuple_.clear();
    util::WireReader r(tuple);
    while (r.Next()) {
      if (r.number() == 1) good &= util::AppendInts(r, tuple_);
    }
    good &= !r.damaged();
    return piece_.shapes.Intern(tuple_);
  }

  bool AddGroups() {
    bool good = true;
    Sort(execs_);
    for (const auto& [step, exec] : execs_) {
      ProfilePiece::Group group;
      group.step = step;
      good &= ReadExecProfile(exec.first,
                              profile::MakeRecordRef(input_, exec.second),
                              piece_.devices, group.sums, piece_.records);
      group.end_record = piece_.records.size();
      piece_.groups.push_back(group);
    }
    return good;
  }

  const loaders::InputFile& file_;
  const uint32_t input_;
  ProfilePiece& piece_;
  profile::LocalNames names_;
  // For the current node; members, so that their memory is reused.
  Pairs<int64_t, int64_t> inputs_, src_output_;
  Pairs<int32_t, int32_t> real_output_;
  Pairs<int32_t, std::string_view> dangling_;
  Pairs<int32_t, profile::ShapeId> shapes_;
  Pairs<int64_t, std::pair<std::string_view, uint64_t>> execs_;
  std::vector<int64_t> dims_, tuple_;
};

}  // namespace

void LogDropped(const loaders::InputFile& file, std::string_view part,
                std::string_view what, loaders::ImportLog& log) {
  log.Add(loaders::ImportLog::kDamage, fmt::format("{} dropped", what),
          fmt::format("{}: byte {}: {} is damaged ({} bytes)", file.path(),
                      file.OffsetOf(part), what, part.size()));
}

ProfilePiece ParseProfilePiece(const loaders::InputFile& file, uint32_t input,
                               std::string_view bytes) {
  ProfilePiece piece;
  Parser(file, input, piece).Run(bytes);
  return piece;
}

}  // namespace tfprof::tensorflow
