#include "exporters/profile_proto.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "fmt/format.h"
#include "protozero/pbf_writer.hpp"
#include "util/stop.h"

namespace tfprof {
namespace {

using protozero::pbf_writer;

// Field numbers of proto/tfprof_log.proto.
namespace profile_field {
constexpr int kNodes = 1, kHasTrace = 2, kSteps = 3, kIdToString = 4,
              kMissAcceleratorStream = 5;
}  // namespace profile_field
namespace node_field {
constexpr int kName = 1, kInputs = 2, kShape = 4, kOpTypes = 5,
              kCanonicalDevice = 6, kHostDevice = 7, kFloatOps = 8, kOp = 9,
              kTrace = 10, kAttrs = 11, kExecs = 12, kId = 13,
              kSrcOutputIndex = 14, kOutputShapes = 15, kDanglingInputs = 1000,
              kInputOutputIndex = 1001;
}  // namespace node_field
namespace trace_field {
constexpr int kTraces = 1;  // of CodeDef
constexpr int kLineno = 2, kFuncStartLine = 5, kFileId = 6, kFunctionId = 7,
              kLineId = 8;
}  // namespace trace_field
namespace exec_field {
constexpr int kRunCount = 1, kAllStartMicros = 2, kLatestEndMicros = 3,
              kAcceleratorExecs = 4, kCpuExecs = 5, kDevices = 6,
              kMemoryExecs = 7, kAllocations = 11;
}  // namespace exec_field
namespace memory_field {
constexpr int kMemoryMicros = 1, kHostTempBytes = 2, kHostPersistentBytes = 3,
              kAcceleratorTempBytes = 4, kAcceleratorPersistentBytes = 5,
              kRequestedBytes = 6, kPeakBytes = 7, kResidualBytes = 8,
              kOutputBytes = 9, kAllocatorBytesInUse = 10, kOutputMemory = 11;
constexpr int kBytes = 1, kPtr = 2;  // of Memory
}  // namespace memory_field
namespace allocation_field {
constexpr int kMicros = 1, kBytes = 2;
}  // namespace allocation_field
constexpr int kMapKey = 1, kMapValue = 2;
constexpr int kTimes = 1;   // of ExecTime
constexpr int kValues = 1;  // of Tuple

constexpr size_t kMaxMessageBytes = std::numeric_limits<int32_t>::max();

// Ids of trace strings in the file.
constexpr int64_t kNoneId = 0;
constexpr std::string_view kNoneString = "none";
constexpr std::string_view kUnknownString = "<unknown>";

// Proto3 leaves out what is 0 or empty.
void AddInt(pbf_writer& message, int field, int64_t value) {
  if (value != 0) message.add_int64(field, value);
}
void AddString(pbf_writer& message, int field, std::string_view value) {
  if (value.empty()) return;
  message.add_bytes(field, value.data(), value.size());
}

// Entries of maps have both their fields, always.
void AddMapEntry(pbf_writer& message, int field, int64_t key, int64_t value) {
  pbf_writer entry(message, field);
  entry.add_int64(kMapKey, key);
  entry.add_int64(kMapValue, value);
}
void AddMapEntry(pbf_writer& message, int field, int64_t key,
                 std::string_view value) {
  pbf_writer entry(message, field);
  entry.add_int64(kMapKey, key);
  entry.add_bytes(kMapValue, value.data(), value.size());
}
void AddMapEntry(pbf_writer& message, int field, std::string_view key,
                 std::string_view value) {
  pbf_writer entry(message, field);
  entry.add_bytes(kMapKey, key.data(), key.size());
  entry.add_bytes(kMapValue, value.data(), value.size());
}

class Writer {
 public:
  Writer(const Profile& profile, Sink& sink)
      : profile_(profile),
        nodes_(profile.nodes()),
        sink_(sink),
        next_group_(profile.steps().size(), 0) {}

  absl::Status Write() {
    for (NodeId n = 0; n < nodes_.size(); ++n) {
      if (StopRequested()) return absl::CancelledError("stopped");
      buffer_.clear();
      pbf_writer profile(buffer_);
      {
        pbf_writer entry(profile, profile_field::kNodes);
        entry.add_int64(kMapKey, n);
        pbf_writer node(entry, kMapValue);
        AddNode(node, n);
      }
      if (buffer_.size() > kMaxMessageBytes) {
        return absl::ResourceExhaustedError(fmt::format(
            "node {} would take {} bytes; a protobuf message has at most "
            "2 GiB. Save fewer steps",
            profile_.node_name(n), buffer_.size()));
      }
      sink_.Write(buffer_);
    }
    buffer_.clear();
    pbf_writer profile(buffer_);
    AddRest(profile);
    sink_.Write(buffer_);
    return absl::OkStatus();
  }

 private:
  // All but the nodes.
  void AddRest(pbf_writer& profile) const {
    const GraphTables& graph = profile_.graph();
    if (graph.has_code_traces) profile.add_bool(profile_field::kHasTrace, true);
    std::vector<int64_t> steps;
    for (const auto& step : profile_.steps()) {
      if (step->listed) steps.push_back(step->id);
    }
    profile.add_packed_int64(profile_field::kSteps, steps.begin(), steps.end());
    for (size_t id = 0; id < trace_strings_.size(); ++id) {
      AddMapEntry(profile, profile_field::kIdToString, static_cast<int64_t>(id),
                  trace_strings_[id]);
    }
    if (graph.misses_accelerator_stream) {
      profile.add_bool(profile_field::kMissAcceleratorStream, true);
    }
  }

  void AddNode(pbf_writer& node, NodeId n) {
    const GraphTables& graph = profile_.graph();
    const auto string = [&](StringId id) { return graph.strings.Get(id); };
    AddString(node, node_field::kName, profile_.node_name(n));
    AddInputs(node, n);
    const auto dims = graph.shapes[nodes_.parameter_shape[n]];
    node.add_packed_int64(node_field::kShape, dims.begin(), dims.end());
    for (const StringId type : graph.type_sets[nodes_.types[n]]) {
      node.add_bytes(node_field::kOpTypes, string(type).data(),
                     string(type).size());
    }
    if (nodes_.device[n] != kNone) {
      const std::string_view device = graph.devices.name(nodes_.device[n]);
      AddString(node, node_field::kCanonicalDevice, device);
      AddString(node, node_field::kHostDevice, HostDevice(device));
    }
    AddInt(node, node_field::kFloatOps, nodes_.FloatOps(n));
    AddString(node, node_field::kOp, string(nodes_.op[n]));
    if (nodes_.stack[n] != kNoStack) AddTrace(node, nodes_.stack[n]);
    AddAttributes(node, n);
    AddExecs(node, n);
    AddInt(node, node_field::kId, n);
    AddSourceOutputs(node, n);
    for (uint32_t i = nodes_.shape_begin[n]; i < nodes_.shape_begin[n + 1];
         ++i) {
      pbf_writer entry(node, node_field::kOutputShapes);
      entry.add_int32(kMapKey, nodes_.output_shape[i].index);
      pbf_writer tuple(entry, kMapValue);
      const auto shape = graph.shapes[nodes_.output_shape[i].shape];
      tuple.add_packed_int64(kValues, shape.begin(), shape.end());
    }
    AddExtensions(node, n);
  }

  void AddInputs(pbf_writer& node, NodeId n) const {
    for (uint32_t e = nodes_.edge_begin[n]; e < nodes_.edge_begin[n + 1]; ++e) {
      const NodeId source = nodes_.Source(e);
      if (source == kNone) continue;
      AddMapEntry(node, node_field::kInputs, nodes_.Position(n, e), source);
    }
  }

  // Of each source, not each input: the last input of a source counts.
  void AddSourceOutputs(pbf_writer& node, NodeId n) const {
    std::map<NodeId, int32_t> outputs;
    for (uint32_t e = nodes_.edge_begin[n]; e < nodes_.edge_begin[n + 1]; ++e) {
      const NodeId source = nodes_.Source(e);
      if (source == kNone) continue;
      outputs[source] =
          nodes_.edge_seen_output.empty() ? 0 : nodes_.edge_seen_output[e];
    }
    for (const auto& [source, output] : outputs) {
      AddMapEntry(node, node_field::kSrcOutputIndex, source, output);
    }
  }

  void AddExtensions(pbf_writer& node, NodeId n) const {
    for (uint32_t e = nodes_.edge_begin[n]; e < nodes_.edge_begin[n + 1]; ++e) {
      if (nodes_.Source(e) != kNone) continue;
      const StringId source = nodes_.edge_source[e];
      AddMapEntry(
          node, node_field::kDanglingInputs, nodes_.Position(n, e),
          source == kNone ? kUnknownString : profile_.strings().Get(source));
    }
    if (nodes_.edge_output.empty()) return;
    for (uint32_t e = nodes_.edge_begin[n]; e < nodes_.edge_begin[n + 1]; ++e) {
      if (nodes_.edge_output[e] == 0) continue;
      AddMapEntry(node, node_field::kInputOutputIndex, nodes_.Position(n, e),
                  nodes_.edge_output[e]);
    }
  }

  void AddTrace(pbf_writer& node, StackId stack) {
    const CallStacks& stacks = profile_.graph().stacks;
    pbf_writer code(node, node_field::kTrace);
    for (const FrameId id : stacks.Frames(stack)) {
      const Frame& frame = stacks.frame(id);
      pbf_writer trace(code, trace_field::kTraces);
      AddInt(trace, trace_field::kLineno, frame.lineno);
      AddInt(trace, trace_field::kFuncStartLine, frame.func_start_line);
      AddInt(trace, trace_field::kFileId, TraceStringId(frame.file));
      AddInt(trace, trace_field::kFunctionId, TraceStringId(frame.function));
      AddInt(trace, trace_field::kLineId, TraceStringId(frame.line));
    }
  }

  int64_t TraceStringId(StringId string) {
    if (trace_strings_.empty()) trace_strings_.push_back(kNoneString);
    const auto [it, is_new] = trace_ids_.try_emplace(
        string, static_cast<int64_t>(trace_strings_.size()));
    if (!is_new) return it->second;
    const std::string_view text =
        string == kNone ? kUnknownString : profile_.strings().Get(string);
    if (text == kNoneString) {
      it->second = kNoneId;
    } else {
      trace_strings_.push_back(text);
    }
    return it->second;
  }

  void AddAttributes(pbf_writer& node, NodeId n) const {
    auto attributes = profile_.Attributes(n);
    std::stable_sort(
        attributes.begin(), attributes.end(),
        [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < attributes.size(); ++i) {
      // As in every map, the last of equal keys counts.
      const auto& [key, value] = attributes[i];
      if (i + 1 < attributes.size() && attributes[i + 1].first == key) continue;
      AddMapEntry(node, node_field::kAttrs, key, value);
    }
  }

  // Called for ascending nodes: groups are ascending too.
  void AddExecs(pbf_writer& node, NodeId n) {
    for (size_t s = 0; s < profile_.steps().size(); ++s) {
      const Step& step = *profile_.steps()[s];
      const size_t group = next_group_[s];
      if (group >= step.num_groups() || step.node[group] != n) continue;
      ++next_group_[s];
      pbf_writer entry(node, node_field::kExecs);
      entry.add_int64(kMapKey, step.id);
      pbf_writer exec(entry, kMapValue);
      AddExec(exec, step, group);
    }
  }

  void AddExec(pbf_writer& exec, const Step& step, size_t group) const {
    AddInt(exec, exec_field::kRunCount, step.run_count[group]);
    AddInt(exec, exec_field::kAllStartMicros, step.start[group]);
    AddInt(exec, exec_field::kLatestEndMicros, step.end[group]);
    // Executions by device name, in their order within a device.
    std::map<std::string_view, std::vector<size_t>> seen;
    DeviceId last_device = kNone;
    std::vector<size_t>* executions = nullptr;
    for (size_t e = step.exec_begin(group); e < step.exec_end(group); ++e) {
      const auto device = static_cast<DeviceId>(step.exec_device[e]);
      if (device == kNone) continue;
      if (device != last_device) {
        executions = &seen[profile_.devices().name(device)];
        last_device = device;
      }
      executions->push_back(e);
    }
    for (const bool accelerator : {true, false}) {
      for (const auto& [name, list] : seen) {
        const Device& device =
            profile_
                .devices()[static_cast<DeviceId>(step.exec_device[list[0]])];
        const bool counts =
            accelerator ? device.accelerator_stream
                        : device.canonical && !device.accelerator_stream;
        if (counts) {
          AddTimes(exec,
                   accelerator ? exec_field::kAcceleratorExecs
                               : exec_field::kCpuExecs,
                   name, step, list);
        }
      }
    }
    for (const auto& [name, list] : seen) {
      exec.add_bytes(exec_field::kDevices, name.data(), name.size());
    }
    const ExecutionDetail detail = profile_.Execution(step, group);
    for (const MemoryDetail& m : detail.memory) AddMemory(exec, m);
    for (const Allocation& a : detail.allocations) {
      pbf_writer allocation(exec, exec_field::kAllocations);
      AddInt(allocation, allocation_field::kMicros, a.micros);
      AddInt(allocation, allocation_field::kBytes, a.bytes);
    }
  }

  // Nothing if none of `executions` has a time.
  static void AddTimes(pbf_writer& exec, int field, std::string_view device,
                       const Step& step,
                       const std::vector<size_t>& executions) {
    const auto timed = [&](size_t e) { return step.exec_start[e] > 0; };
    if (std::none_of(executions.begin(), executions.end(), timed)) return;
    pbf_writer entry(exec, field);
    entry.add_bytes(kMapKey, device.data(), device.size());
    pbf_writer times(entry, kMapValue);
    for (const size_t e : executions) {
      if (!timed(e)) continue;
      const std::array<int64_t, 2> time = {step.exec_start[e],
                                           step.exec_duration[e]};
      pbf_writer tuple(times, kTimes);
      tuple.add_packed_int64(kValues, time.begin(), time.end());
    }
  }

  static void AddMemory(pbf_writer& exec, const MemoryDetail& m) {
    pbf_writer memory(exec, exec_field::kMemoryExecs);
    AddInt(memory, memory_field::kMemoryMicros, m.micros);
    AddInt(memory, memory_field::kHostTempBytes, m.host_temp_bytes);
    AddInt(memory, memory_field::kHostPersistentBytes, m.host_persistent_bytes);
    AddInt(memory, memory_field::kAcceleratorTempBytes,
           m.accelerator_temp_bytes);
    AddInt(memory, memory_field::kAcceleratorPersistentBytes,
           m.accelerator_persistent_bytes);
    AddInt(memory, memory_field::kRequestedBytes, m.requested_bytes);
    AddInt(memory, memory_field::kPeakBytes, m.peak_bytes);
    AddInt(memory, memory_field::kResidualBytes, m.residual_bytes);
    AddInt(memory, memory_field::kOutputBytes, m.output_bytes);
    AddInt(memory, memory_field::kAllocatorBytesInUse,
           m.allocator_bytes_in_use);
    std::map<int32_t, const MemoryDetail::Output*> outputs;
    for (const MemoryDetail::Output& output : m.outputs) {
      outputs[output.slot] = &output;
    }
    for (const auto& [slot, output] : outputs) {
      pbf_writer entry(memory, memory_field::kOutputMemory);
      entry.add_int32(kMapKey, slot);
      pbf_writer value(entry, kMapValue);
      AddInt(value, memory_field::kBytes, output->bytes);
      if (output->ptr != 0) {
        value.add_uint64(memory_field::kPtr, output->ptr);
      }
    }
  }

  const Profile& profile_;
  const NodeTable& nodes_;
  Sink& sink_;
  std::string buffer_;              // one node
  std::vector<size_t> next_group_;  // by step
  // By id in the file, and the other way round.
  std::vector<std::string_view> trace_strings_;
  absl::flat_hash_map<StringId, int64_t> trace_ids_;
};

}  // namespace

absl::Status WriteProfileProto(const Profile& profile, Sink& sink) {
  return Writer(profile, sink).Write();
}

}  // namespace tfprof
