#include "exporters/formats/profile_proto.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "accounting/counted_memory.h"
#include "exporters/formats/encoded_frames.h"
#include "exporters/formats/exec_maps.h"
#include "exporters/formats/saved_counters.h"
#include "fmt/format.h"
#include "loaders/tensorflow/device_names.h"
#include "util/arithmetic.h"
#include "util/files/wire_writer.h"
#include "util/run/threads.h"

namespace tfprof::exporters {
namespace {

// Field numbers of proto/tfprof_log.proto.
namespace profile_field {
constexpr uint32_t kNodes = 1, kHasTrace = 2, kSteps = 3, kIdToString = 4,
                   kMissAcceleratorStream = 5, kKernelCounters = 1000;
}  // namespace profile_field
namespace node_field {
constexpr uint32_t kName = 1, kInputs = 2, kShape = 4, kOpTypes = 5,
                   kCanonicalDevice = 6, kHostDevice = 7, kFloatOps = 8,
                   kOp = 9, kTrace = 10, kAttrs = 11, kExecs = 12, kId = 13,
                   kSrcOutputIndex = 14, kOutputShapes = 15,
                   kDanglingInputs = 1000, kInputOutputIndex = 1001,
                   kRanElsewhere = 1002;
}  // namespace node_field
namespace exec_field {
constexpr uint32_t kRunCount = 1, kAllStartMicros = 2, kLatestEndMicros = 3,
                   kAcceleratorExecs = 4, kCpuExecs = 5, kDevices = 6,
                   kMemoryExecs = 7, kAllocations = 11, kOtherExecs = 1000;
}  // namespace exec_field
namespace memory_field {
constexpr uint32_t kMemoryMicros = 1, kHostTempBytes = 2,
                   kHostPersistentBytes = 3, kAcceleratorTempBytes = 4,
                   kAcceleratorPersistentBytes = 5, kRequestedBytes = 6,
                   kPeakBytes = 7, kResidualBytes = 8, kOutputBytes = 9,
                   kAllocatorBytesInUse = 10, kOutputMemory = 11;
constexpr uint32_t kBytes = 1, kPtr = 2;  // of Memory
}  // namespace memory_field
namespace allocation_field {
constexpr uint32_t kMicros = 1, kBytes = 2;
}  // namespace allocation_field
constexpr uint32_t kMapKey = 1, kMapValue = 2;
constexpr uint32_t kTimes = 1;   // of ExecTime
constexpr uint32_t kValues = 1;  // of Tuple

// An input whose source has no name.
constexpr std::string_view kUnknownString = "<unknown>";

// The approximate size of a piece that one core encodes. Pieces are written in
// order.
constexpr size_t kPieceBytes = 256 << 10;
// The average size of a node, and of an execution, in real profiles.
constexpr size_t kNodeBytes = 1000, kExecutionBytes = 200;

// Map entries always have both fields.
void AddMapEntry(util::WireWriter& w, uint32_t field, int64_t key,
                 int64_t value) {
  const util::WireMessage entry(w, field);
  w.Int64(kMapKey, key);
  w.Int64(kMapValue, value);
}
void AddMapEntry(util::WireWriter& w, uint32_t field, int64_t key,
                 std::string_view value) {
  const util::WireMessage entry(w, field);
  w.Int64(kMapKey, key);
  w.Bytes(kMapValue, value);
}
void AddMapEntry(util::WireWriter& w, uint32_t field, std::string_view key,
                 std::string_view value) {
  const util::WireMessage entry(w, field);
  w.Bytes(kMapKey, key);
  w.Bytes(kMapValue, value);
}

// Sorts by key(value) and keeps the order of equal keys. Most lists here have
// two or three elements, for which stable_sort would allocate.
template <typename T, typename Key>
void SortStable(std::vector<T>& values, Key key) {
  constexpr size_t kFew = 32;
  if (values.size() > kFew) {
    return std::stable_sort(
        values.begin(), values.end(),
        [&](const T& a, const T& b) { return key(a) < key(b); });
  }
  for (size_t i = 1; i < values.size(); ++i) {
    for (size_t j = i; j > 0 && key(values[j]) < key(values[j - 1]); --j) {
      std::swap(values[j], values[j - 1]);
    }
  }
}

// Data that the encoders of all pieces share.
struct Common {
  explicit Common(const profile::Profile& of) : profile(of), frames(of) {
    const profile::DeviceTable& devices = profile.devices();
    std::vector<profile::DeviceId> by_name(devices.size());
    std::iota(by_name.begin(), by_name.end(), 0);
    std::sort(by_name.begin(), by_name.end(),
              [&](profile::DeviceId a, profile::DeviceId b) {
                return devices.name(a) < devices.name(b);
              });
    rank.resize(devices.size());
    for (uint32_t r = 0; r < by_name.size(); ++r) rank[by_name[r]] = r;
    hosts.reserve(devices.size());
    for (profile::DeviceId d = 0; d < devices.size(); ++d) {
      hosts.push_back(tensorflow::HostDevice(devices.name(d)));
    }
    for (const auto& step : profile.steps()) {
      if (step->num_groups() > 0) steps.push_back(step.get());
    }
  }

  const profile::Profile& profile;
  const EncodedFrames frames;
  // For each device: the rank of its name, and its host.
  std::vector<uint32_t> rank;  // by name
  std::vector<std::string> hosts;
  std::vector<const profile::Step*> steps;  // with executions
};

// Encodes the nodes of a piece.
class NodeEncoder {
 public:
  NodeEncoder(const Common& common, util::WireWriter& writer)
      : common_(common),
        profile_(common.profile),
        nodes_(profile_.nodes()),
        w_(writer),
        stacks_(profile_, common.frames) {}

  absl::Status Encode(profile::NodeId begin, profile::NodeId end,
                      const util::Sink& sink) {
    FindGroups(begin, end);
    for (profile::NodeId n = begin; n < end; ++n) {
      if (!sink.wanted()) return absl::CancelledError("cancelled");
      const size_t before = w_.size();
      {
        const util::WireMessage entry(w_, profile_field::kNodes);
        w_.Int64(kMapKey, n);
        const util::WireMessage node(w_, kMapValue);
        AddNode(n, {groups_.data() + group_begin_[n - begin],
                    groups_.data() + group_begin_[n - begin + 1]});
      }
      const size_t bytes = w_.size() - before;
      if (bytes > util::kMaxMessageBytes) {
        return absl::ResourceExhaustedError(fmt::format(
            "node {} would take {} bytes; a protobuf message has at most "
            "2 GiB. Save fewer steps",
            profile_.node_name(n), bytes));
      }
    }
    return absl::OkStatus();
  }

 private:
  // A node in a step.
  struct Group {
    const profile::Step* step;
    size_t group;
  };

  // Fills groups_, sorted by node, then step.
  void FindGroups(profile::NodeId begin, profile::NodeId end) {
    group_begin_.assign(end - begin + 1, 0);
    std::vector<std::pair<profile::NodeId, Group>> found;
    for (const profile::Step* step : common_.steps) {
      const size_t last = step->GroupAt(end);
      for (size_t g = step->GroupAt(begin); g < last; ++g) {
        const auto n = static_cast<profile::NodeId>(step->node[g]) - begin;
        ++group_begin_[n + 1];
        found.push_back({n, {step, g}});
      }
    }
    for (size_t n = 0; n < end - begin; ++n) {
      group_begin_[n + 1] += group_begin_[n];
    }
    std::vector<size_t> next(group_begin_.begin(), group_begin_.end() - 1);
    groups_.resize(found.size());
    for (const auto& [n, group] : found) groups_[next[n]++] = group;
  }

  void AddNode(profile::NodeId n, std::span<const Group> groups) {
    const profile::GraphTables& graph = profile_.graph();
    const auto string = [&](profile::StringId id) {
      return graph.strings.Get(id);
    };
    w_.BytesIfSet(node_field::kName, profile_.node_name(n));
    AddInputs(n);
    w_.PackedInt64(node_field::kShape, graph.shapes[nodes_.parameter_shape[n]]);
    for (const profile::StringId type : graph.type_sets[nodes_.types[n]]) {
      w_.Bytes(node_field::kOpTypes, string(type));
    }
    if (const profile::DeviceId device = nodes_.device[n];
        device != profile::kNone) {
      w_.BytesIfSet(node_field::kCanonicalDevice, graph.devices.name(device));
      w_.BytesIfSet(node_field::kHostDevice, common_.hosts[device]);
    }
    w_.Int64IfSet(node_field::kFloatOps, nodes_.FloatOps(n));
    w_.BytesIfSet(node_field::kOp, string(nodes_.op[n]));
    AddTrace(nodes_.stack[n]);
    AddAttributes(n);
    for (const Group& group : groups) AddExec(*group.step, group.group);
    w_.Int64IfSet(node_field::kId, n);
    AddSourceOutputs(n);
    for (uint32_t i = nodes_.shape_begin[n]; i < nodes_.shape_begin[n + 1];
         ++i) {
      const util::WireMessage entry(w_, node_field::kOutputShapes);
      w_.Int64(kMapKey, nodes_.output_shape[i].index);
      const util::WireMessage tuple(w_, kMapValue);
      w_.PackedInt64(kValues, graph.shapes[nodes_.output_shape[i].shape]);
    }
    AddExtensions(n);
    if (groups.empty() && profile_.RanElsewhere(n)) {
      w_.Int64(node_field::kRanElsewhere, 1);
    }
  }

  void AddInputs(profile::NodeId n) {
    for (uint32_t e = nodes_.edge_begin[n]; e < nodes_.edge_begin[n + 1]; ++e) {
      const profile::NodeId source = nodes_.Source(n, e);
      if (source == profile::kNone) continue;
      AddMapEntry(w_, node_field::kInputs, nodes_.Position(n, e), source);
    }
  }

  // One entry for each source, not for each input: the last input is kept.
  void AddSourceOutputs(profile::NodeId n) {
    outputs_.clear();
    for (uint32_t e = nodes_.edge_begin[n]; e < nodes_.edge_begin[n + 1]; ++e) {
      const profile::NodeId source = nodes_.Source(n, e);
      if (source == profile::kNone) continue;
      outputs_.push_back({source, nodes_.edge_seen_output.empty()
                                      ? 0
                                      : nodes_.edge_seen_output[e]});
    }
    SortStable(outputs_, [](const auto& output) { return output.first; });
    for (size_t i = 0; i < outputs_.size(); ++i) {
      const auto& [source, output] = outputs_[i];
      if (i + 1 < outputs_.size() && outputs_[i + 1].first == source) continue;
      AddMapEntry(w_, node_field::kSrcOutputIndex, source, output);
    }
  }

  void AddExtensions(profile::NodeId n) {
    for (uint32_t e = nodes_.edge_begin[n]; e < nodes_.edge_begin[n + 1]; ++e) {
      if (nodes_.Source(n, e) != profile::kNone) continue;
      const profile::StringId source = nodes_.edge_source[e];
      AddMapEntry(w_, node_field::kDanglingInputs, nodes_.Position(n, e),
                  source == profile::kNone ? kUnknownString
                                           : profile_.strings().Get(source));
    }
    if (nodes_.edge_output.empty()) return;
    for (uint32_t e = nodes_.edge_begin[n]; e < nodes_.edge_begin[n + 1]; ++e) {
      if (nodes_.edge_output[e] == 0) continue;
      AddMapEntry(w_, node_field::kInputOutputIndex, nodes_.Position(n, e),
                  int64_t{nodes_.edge_output[e]});
    }
  }

  void AddTrace(profile::StackId stack) {
    if (stack != profile::kNoStack) {
      w_.Bytes(node_field::kTrace, stacks_.CodeDef(stack));
    }
  }

  void AddAttributes(profile::NodeId n) {
    auto attributes = profile_.Attributes(n);
    SortStable(attributes, [](const auto& entry) { return entry.first; });
    for (size_t i = 0; i < attributes.size(); ++i) {
      // As in every map, the last of equal keys is kept.
      const auto& [key, value] = attributes[i];
      if (i + 1 < attributes.size() && attributes[i + 1].first == key) continue;
      AddMapEntry(w_, node_field::kAttrs, key, value);
    }
  }

  void AddExec(const profile::Step& step, size_t group) {
    const util::WireMessage entry(w_, node_field::kExecs);
    w_.Int64(kMapKey, step.id);
    const util::WireMessage exec(w_, kMapValue);
    w_.Int64IfSet(exec_field::kRunCount, step.sums.run_count[group]);
    // The format has 0 if there is no span.
    if (step.HasSpan(group)) {
      w_.Int64IfSet(exec_field::kAllStartMicros, step.sums.start.Micros(group));
      w_.Int64IfSet(exec_field::kLatestEndMicros, step.sums.end.Micros(group));
    }
    // Sorts executions by device name and keeps their order within a device.
    executions_.clear();
    for (size_t e = step.exec_begin(group); e < step.exec_end(group); ++e) {
      const profile::DeviceId device = profile_.device_of(step.LaneOf(e));
      if (device == profile::kNone) continue;
      executions_.push_back({common_.rank[device], device, e});
    }
    SortStable(executions_, [](const Execution& e) { return e.rank; });
    const auto for_devices = [&](auto visit) {
      for (size_t i = 0; i < executions_.size();) {
        size_t end = i + 1;
        while (end < executions_.size() &&
               executions_[end].rank == executions_[i].rank) {
          ++end;
        }
        visit(executions_[i].device,
              std::span<const Execution>(executions_.data() + i, end - i));
        i = end;
      }
    };
    maps_.clear();
    from_profile_.clear();
    int64_t accelerator = step.sums.accelerator_time[group];
    int64_t cpu = step.sums.cpu_time[group];
    for_devices([&](profile::DeviceId id, std::span<const Execution> list) {
      const TimedDevice device = Timed(id, step, list);
      maps_.push_back(MapOfRun(device));
      if (profile_.IsGroupRecord(static_cast<profile::RecordRef>(
              step.exec_record[list[0].index]))) {
        from_profile_.push_back(device);
        maps_.back() = ExecMap::kOfProfile;
      } else if (maps_.back() == ExecMap::kAccelerator) {
        accelerator = util::WrapSub(accelerator, device.time);
      } else if (maps_.back() == ExecMap::kCpu) {
        cpu = util::WrapSub(cpu, device.time);
      }
    });
    if (!from_profile_.empty()) {
      const std::vector<ExecMap> maps =
          MapsOfProfile(from_profile_, accelerator, cpu);
      auto next = maps.begin();
      for (ExecMap& map : maps_) {
        if (map == ExecMap::kOfProfile) map = *next++;
      }
    }
    for (const auto& known :
         {std::pair(ExecMap::kAccelerator, exec_field::kAcceleratorExecs),
          std::pair(ExecMap::kCpu, exec_field::kCpuExecs),
          std::pair(ExecMap::kOther, exec_field::kOtherExecs)}) {
      size_t i = 0;
      for_devices([&](profile::DeviceId id, std::span<const Execution> list) {
        if (maps_[i++] == known.first) AddTimes(known.second, id, step, list);
      });
    }
    for_devices([&](profile::DeviceId id, std::span<const Execution>) {
      w_.Bytes(exec_field::kDevices, profile_.devices().name(id));
    });
    const profile::ExecutionDetail detail =
        accounting::CountedMemory(profile_, step, group);
    for (const profile::MemoryDetail& m : detail.memory) AddMemory(m);
    for (const profile::Allocation& a : detail.allocations) {
      const util::WireMessage allocation(w_, exec_field::kAllocations);
      w_.Int64IfSet(allocation_field::kMicros, a.micros);
      w_.Int64IfSet(allocation_field::kBytes, a.bytes);
    }
  }

  struct Execution {
    uint32_t rank;  // of the device
    profile::DeviceId device;
    size_t index;
  };

  TimedDevice Timed(profile::DeviceId id, const profile::Step& step,
                    std::span<const Execution> executions) const {
    const profile::Device& device = profile_.devices()[id];
    TimedDevice timed = {.stream = device.accelerator_stream,
                         .canonical = device.canonical};
    for (const Execution& e : executions) {
      if (!step.HasStart(e.index)) continue;
      timed.time =
          util::WrapAdd(timed.time, step.exec_duration.Micros(e.index));
    }
    return timed;
  }

  // Writes nothing if none of `executions` has a time.
  void AddTimes(uint32_t field, profile::DeviceId device,
                const profile::Step& step,
                std::span<const Execution> executions) {
    const auto timed = [&](const Execution& e) {
      return step.HasStart(e.index);
    };
    if (std::none_of(executions.begin(), executions.end(), timed)) return;
    const util::WireMessage entry(w_, field);
    w_.Bytes(kMapKey, profile_.devices().name(device));
    const util::WireMessage times(w_, kMapValue);
    for (const Execution& e : executions) {
      if (!timed(e)) continue;
      const std::array<int64_t, 2> time = {step.exec_start.Micros(e.index),
                                           step.exec_duration.Micros(e.index)};
      const util::WireMessage tuple(w_, kTimes);
      w_.PackedInt64(kValues, time);
    }
  }

  void AddMemory(const profile::MemoryDetail& m) {
    const util::WireMessage memory(w_, exec_field::kMemoryExecs);
    w_.Int64IfSet(memory_field::kMemoryMicros, m.micros);
    w_.Int64IfSet(memory_field::kHostTempBytes, m.host_temp_bytes);
    w_.Int64IfSet(memory_field::kHostPersistentBytes, m.host_persistent_bytes);
    w_.Int64IfSet(memory_field::kAcceleratorTempBytes,
                  m.accelerator_temp_bytes);
    w_.Int64IfSet(memory_field::kAcceleratorPersistentBytes,
                  m.accelerator_persistent_bytes);
    w_.Int64IfSet(memory_field::kRequestedBytes, m.requested_bytes);
    w_.Int64IfSet(memory_field::kPeakBytes, m.peak_bytes);
    w_.Int64IfSet(memory_field::kResidualBytes, m.residual_bytes);
    w_.Int64IfSet(memory_field::kOutputBytes, m.output_bytes);
    w_.Int64IfSet(memory_field::kAllocatorBytesInUse, m.allocator_bytes_in_use);
    slots_.assign(m.outputs.begin(), m.outputs.end());
    SortStable(slots_, [](const auto& output) { return output.slot; });
    for (size_t i = 0; i < slots_.size(); ++i) {
      const profile::MemoryDetail::Output& output = slots_[i];
      if (i + 1 < slots_.size() && slots_[i + 1].slot == output.slot) continue;
      const util::WireMessage entry(w_, memory_field::kOutputMemory);
      w_.Int64(kMapKey, output.slot);
      const util::WireMessage value(w_, kMapValue);
      w_.Int64IfSet(memory_field::kBytes, output.bytes);
      w_.Int64IfSet(memory_field::kPtr, static_cast<int64_t>(output.ptr));
    }
  }

  const Common& common_;
  const profile::Profile& profile_;
  const profile::NodeTable& nodes_;
  util::WireWriter& w_;
  std::vector<Group> groups_;
  std::vector<size_t> group_begin_;  // by node of the piece
  StackEncoder stacks_;
  // Buffers for one node or execution; members so that their memory is reused.
  std::vector<std::pair<profile::NodeId, int32_t>> outputs_;
  std::vector<Execution> executions_;
  std::vector<ExecMap> maps_;  // by device
  std::vector<TimedDevice> from_profile_;
  std::vector<profile::MemoryDetail::Output> slots_;
};

// Adds everything except the nodes.
void AddRest(const Common& common, util::WireWriter& w) {
  const profile::GraphTables& graph = common.profile.graph();
  if (graph.has_code_traces) w.Int64(profile_field::kHasTrace, 1);
  std::vector<int64_t> steps;
  for (const auto& step : common.profile.steps()) {
    if (step->listed) steps.push_back(step->id);
  }
  w.PackedInt64(profile_field::kSteps, steps);
  const std::span<const std::string_view> strings = common.frames.strings();
  for (size_t id = 0; id < strings.size(); ++id) {
    AddMapEntry(w, profile_field::kIdToString, static_cast<int64_t>(id),
                strings[id]);
  }
  if (graph.misses_accelerator_stream) {
    w.Int64(profile_field::kMissAcceleratorStream, 1);
  }
  WriteSavedCounters(common.profile, SavedLanes::kDevices,
                     profile_field::kKernelCounters, w);
}

// The number of nodes in a piece. Each piece visits each step, so pieces are
// larger if many steps contain little.
size_t NodesPerPiece(const Common& common) {
  const size_t nodes = common.profile.nodes().size();
  size_t groups = 0, executions = 0;
  for (const profile::Step* step : common.steps) {
    groups += step->num_groups();
    executions += step->num_executions();
  }
  const size_t by_bytes =
      nodes * kPieceBytes / (nodes * kNodeBytes + executions * kExecutionBytes);
  const size_t by_steps = common.steps.size() * nodes / (nodes + groups);
  return std::max({by_bytes, by_steps, size_t{1}});
}

}  // namespace

absl::Status WriteProfileProto(const profile::Profile& profile,
                               util::Sink& sink,
                               const util::TaskOptions& work) {
  const Common common(profile);
  const size_t nodes = profile.nodes().size();
  if (nodes > 0) {
    struct Piece {
      util::WireWriter writer;
      absl::Status status;
    };
    const size_t size = NodesPerPiece(common);
    std::vector<Piece> pieces((nodes + size - 1) / size);
    absl::Status status;
    util::ParallelPipeline(
        work, pieces.size(),
        [&](size_t i) {
          Piece& piece = pieces[i];
          piece.writer.Reserve(kPieceBytes + kPieceBytes / 2);
          piece.status = NodeEncoder(common, piece.writer)
                             .Encode(static_cast<profile::NodeId>(i * size),
                                     static_cast<profile::NodeId>(
                                         std::min((i + 1) * size, nodes)),
                                     sink);
        },
        [&](size_t i) {
          if (status.ok()) status = pieces[i].status;
          if (status.ok()) sink.Write(pieces[i].writer.bytes());
          sink.Reached(static_cast<double>(i + 1) /
                       static_cast<double>(pieces.size()));
          pieces[i] = Piece();
        });
    if (!status.ok()) return status;
  }
  util::WireWriter rest;
  AddRest(common, rest);
  sink.Write(rest.bytes());
  return absl::OkStatus();
}

}  // namespace tfprof::exporters
