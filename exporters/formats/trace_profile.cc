#include "exporters/formats/trace_profile.h"

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "exporters/formats/saved_counters.h"
#include "loaders/trace_profile/fields.h"
#include "util/files/wire_writer.h"

namespace tfprof {
namespace {

// Encodes kNone as 0.
int64_t Optional(uint32_t id) { return id == kNone ? 0 : int64_t{id} + 1; }

class Writer {
 public:
  Writer(const Profile& profile, Sink& sink)
      : profile_(profile),
        graph_(profile.graph()),
        nodes_(profile.nodes()),
        sink_(sink),
        strings_(profile.strings()) {}

  absl::Status Write() {
    w_.Bytes(trace_profile::kMagic, kTraceProfileMagic);
    w_.Int64(trace_profile::kTicksPerMicro, profile_.ticks_per_micro());
    w_.Int64IfSet(trace_profile::kHasCodeTraces, graph_.has_code_traces);
    w_.Int64IfSet(trace_profile::kHasScopes, !nodes_.scope.empty());
    WriteShapes();
    WriteStacks();
    WriteLanes();
    WriteScopes();
    WriteNodes();
    for (NodeId n = 0; n < nodes_.size(); ++n) WriteNodeDetail(n);
    for (const auto& step : profile_.steps()) {
      WriteStep(*step);
      WriteRecords(*step);
      if (!Flush()) return absl::OkStatus();
    }
    WriteTables();
    for (StringId s = 0; s < strings_.size(); ++s) {
      w_.Bytes(trace_profile::kString, strings_.Get(s));
      if (w_.size() > kFlushBytes && !Flush()) break;
    }
    Flush();
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kFlushBytes = 1 << 20;

  // Returns false if the sink wants no more.
  bool Flush() {
    sink_.Write(w_.bytes());
    w_.Truncate(0);
    return sink_.wanted();
  }

  // Writes the column get(0) … get(size - 1).
  template <typename Get>
  void Column(uint32_t field, size_t size, Get get) {
    column_.clear();
    column_.reserve(size);
    for (size_t i = 0; i < size; ++i) {
      column_.push_back(static_cast<int64_t>(get(i)));
    }
    w_.PackedInt64(field, column_);
  }
  void Column(uint32_t field, const IntColumn& values) {
    Column(field, values.size(), [&](size_t i) { return values[i]; });
  }

  int64_t Text(std::string_view text) { return strings_.Intern(text); }
  void TextField(uint32_t field, std::string_view text) {
    if (!text.empty()) w_.Int64(field, Text(text) + 1);
  }

  void WriteShapes() {
    const ShapeTable& shapes = graph_.shapes;
    // The first shape is "unknown" in every profile.
    for (ShapeId s = 1; s < shapes.size(); ++s) {
      const WireMessage m(w_, trace_profile::kShape);
      w_.PackedInt64(kTraceColumn, shapes[s]);
    }
  }

  void WriteStacks() {
    const CallStacks& stacks = graph_.stacks;
    {
      const WireMessage m(w_, trace_profile::kFrames);
      const auto frame = [&](size_t i) -> const Frame& {
        return stacks.frame(static_cast<FrameId>(i));
      };
      const size_t size = stacks.num_frames();
      Column(trace_frames::kFile, size,
             [&](size_t i) { return Optional(frame(i).file); });
      Column(trace_frames::kFunction, size,
             [&](size_t i) { return Optional(frame(i).function); });
      Column(trace_frames::kSource, size,
             [&](size_t i) { return Optional(frame(i).line); });
      Column(trace_frames::kLine, size,
             [&](size_t i) { return frame(i).lineno; });
      Column(trace_frames::kStartLine, size,
             [&](size_t i) { return frame(i).func_start_line; });
    }
    const WireMessage m(w_, trace_profile::kStacks);
    const auto entry = [&](size_t i) -> const CallStacks::Entry& {
      return stacks[static_cast<StackId>(i + 1)];
    };
    const size_t size = stacks.size() - 1;
    Column(trace_tree::kParent, size,
           [&](size_t i) { return entry(i).parent; });
    Column(trace_tree::kContent, size,
           [&](size_t i) { return entry(i).frame; });
  }

  void WriteLanes() {
    const LaneTable& lanes = graph_.lanes;
    for (ProcessId p = 0; p < lanes.num_processes(); ++p) {
      const Process& process = lanes.process(p);
      const WireMessage m(w_, trace_profile::kProcess);
      w_.Int64(trace_process::kRank, process.rank);
      TextField(trace_process::kHost, process.host);
      w_.Int64(trace_process::kProcessId, process.process_id);
      TextField(trace_process::kName, process.name);
      TextField(trace_process::kJob, process.job);
      TextField(trace_process::kLabel, process.label);
      w_.Int64IfSet(trace_process::kIsParameterServer,
                    process.parameter_server);
    }
    for (PhysicalId p = 0; p < lanes.num_physical(); ++p) {
      const PhysicalDevice& device = lanes.physical(p);
      const WireMessage m(w_, trace_profile::kPhysical);
      w_.Int64(trace_physical::kProcess, Optional(device.process));
      TextField(trace_physical::kLabel, device.label);
      TextField(trace_physical::kName, device.name);
      TextField(trace_physical::kKind, device.kind);
      TextField(trace_physical::kModel, device.model);
      w_.Uint64(trace_physical::kPeakFlops,
                std::bit_cast<uint64_t>(device.peak_flops_per_second));
      w_.Uint64(trace_physical::kPeakBytes,
                std::bit_cast<uint64_t>(device.peak_bytes_per_second));
      w_.Int64(trace_physical::kMemory, device.memory_bytes);
    }
    for (LaneId l = 0; l < lanes.size(); ++l) {
      const Lane& lane = lanes[l];
      const WireMessage m(w_, trace_profile::kLane);
      w_.Int64(trace_lane::kProcess, Optional(lane.process));
      w_.Int64(trace_lane::kName, Optional(lane.name));
      w_.Int64(trace_lane::kKind, static_cast<int64_t>(lane.kind));
      w_.Int64(trace_lane::kPhysical, Optional(lane.physical));
      w_.Int64(trace_lane::kThread, lane.thread);
      w_.Int64(trace_lane::kStream, lane.stream);
      w_.Int64(trace_lane::kClock, lane.clock);
      w_.Int64(trace_lane::kCopies, static_cast<int64_t>(lane.copies));
      if (!lane.calls_nest) w_.Int64(trace_lane::kIsFlat, 1);
    }
  }

  void WriteScopes() {
    {
      const WireMessage m(w_, trace_profile::kModules);
      Column(kTraceColumn, graph_.modules.size() - 1, [&](size_t i) {
        return graph_.modules.name(static_cast<ModuleId>(i + 1));
      });
    }
    const Scopes& scopes = graph_.scopes;
    const WireMessage m(w_, trace_profile::kScopes);
    const auto entry = [&](size_t i) -> const Scopes::Entry& {
      return scopes[static_cast<ScopeId>(i + 1)];
    };
    const size_t size = scopes.size() - 1;
    Column(trace_tree::kParent, size,
           [&](size_t i) { return entry(i).parent; });
    Column(trace_tree::kContent, size, [&](size_t i) { return entry(i).name; });
  }

  void WriteNodes() {
    const size_t size = nodes_.size();
    {
      const WireMessage m(w_, trace_profile::kNodes);
      const auto of = [](const auto& column) {
        return [&column](size_t i) { return column[i]; };
      };
      Column(trace_nodes::kName, size, of(nodes_.name));
      Column(trace_nodes::kOp, size, of(nodes_.op));
      Column(trace_nodes::kModule, size,
             [&](size_t i) { return nodes_.ModuleOf(static_cast<NodeId>(i)); });
      Column(trace_nodes::kScope, size, [&](size_t i) {
        return nodes_.scope.empty() ? kRootScope : nodes_.scope[i];
      });
      Column(trace_nodes::kStack, size, of(nodes_.stack));
      Column(trace_nodes::kParameterShape, size, of(nodes_.parameter_shape));
      Column(trace_nodes::kFloatOps, size,
             [&](size_t i) { return nodes_.FloatOps(static_cast<NodeId>(i)); });
      Column(trace_nodes::kForwardOf, size, [&](size_t i) {
        return nodes_.forward_of.empty() ? 0 : Optional(nodes_.forward_of[i]);
      });
      Column(trace_nodes::kNumEdges, size, [&](size_t i) {
        return nodes_.num_inputs(static_cast<NodeId>(i));
      });
      Column(trace_nodes::kNumShapes, size, [&](size_t i) {
        return nodes_.shape_begin[i + 1] - nodes_.shape_begin[i];
      });
    }
    {
      const WireMessage m(w_, trace_profile::kEdges);
      const size_t edges = nodes_.edge_source.size();
      const auto any = [](const std::vector<int32_t>& column) {
        return [&column](size_t i) { return column.empty() ? 0 : column[i]; };
      };
      Column(trace_edges::kSource, edges,
             [&](size_t i) { return Optional(nodes_.edge_source[i]); });
      Column(trace_edges::kSeenOutput, edges, any(nodes_.edge_seen_output));
      Column(trace_edges::kOutput, edges, any(nodes_.edge_output));
      NodeId reader = 0;
      Column(trace_edges::kPosition, edges, [&](size_t i) {
        while (nodes_.edge_begin[reader + 1] <= i) ++reader;
        return nodes_.Position(reader, static_cast<uint32_t>(i));
      });
    }
    const WireMessage m(w_, trace_profile::kOutputShapes);
    const size_t shapes = nodes_.output_shape.size();
    Column(trace_output_shapes::kIndex, shapes,
           [&](size_t i) { return nodes_.output_shape[i].index; });
    Column(trace_output_shapes::kShape, shapes,
           [&](size_t i) { return nodes_.output_shape[i].shape; });
  }

  void WriteNodeDetail(NodeId n) {
    const AttributeList attributes = profile_.Attributes(n);
    const std::vector<std::string_view> inputs = profile_.Inputs(n);
    const auto types = graph_.type_sets[nodes_.types[n]];
    const bool has_types = types.size() != 1 || types[0] != nodes_.op[n];
    if (attributes.empty() && inputs.empty() && !has_types) return;
    {
      const WireMessage m(w_, trace_profile::kNodeDetail);
      w_.Int64(trace_node_detail::kNode, n);
      for (const auto& [key, value] : attributes) {
        const WireMessage attribute(w_, trace_node_detail::kAttribute);
        w_.Bytes(trace_attribute::kKey, key);
        w_.Bytes(trace_attribute::kValue, value);
      }
      for (const std::string_view input : inputs) {
        w_.Bytes(trace_node_detail::kInput, input);
      }
      for (const StringId type : types) {
        if (type != nodes_.op[n]) w_.Int64(trace_node_detail::kType, type);
      }
    }
    if (w_.size() > kFlushBytes) Flush();
  }

  void WriteStep(const Step& step) {
    const WireMessage m(w_, trace_profile::kStep);
    w_.Int64(trace_step::kId, step.id);
    w_.Int64(trace_step::kListed, step.listed);
    w_.Int64(trace_step::kTicksPerMicro, step.exec_start.ticks_per_micro());
    const size_t groups = step.num_groups();
    const StepSums& sums = step.sums;
    Column(trace_step::kNode, step.node);
    Column(trace_step::kRuns, sums.run_count);
    Column(trace_step::kAcceleratorTime, sums.accelerator_time);
    Column(trace_step::kCpuTime, sums.cpu_time);
    Column(trace_step::kRequested, sums.requested_bytes);
    Column(trace_step::kPeak, sums.peak_bytes);
    Column(trace_step::kResidual, sums.residual_bytes);
    Column(trace_step::kOutput, sums.output_bytes);
    Column(trace_step::kHasSpan, sums.has_span);
    Column(trace_step::kSpanStart, groups,
           [&](size_t g) { return sums.HasSpan(g) ? sums.start.Ticks(g) : 0; });
    Column(trace_step::kSpanEnd, groups,
           [&](size_t g) { return sums.HasSpan(g) ? sums.end.Ticks(g) : 0; });
    Column(trace_step::kNumExecutions, groups,
           [&](size_t g) { return step.exec_end(g) - step.exec_begin(g); });
    const size_t size = step.num_records();
    Column(trace_step::kLane, size,
           [&](size_t e) { return Optional(step.LaneOf(e)); });
    Column(trace_step::kHasStart, size,
           [&](size_t e) { return step.HasStart(e); });
    Column(trace_step::kStart, size, [&](size_t e) {
      return step.HasStart(e) ? step.exec_start.Ticks(e) : 0;
    });
    Column(trace_step::kDuration, size,
           [&](size_t e) { return step.exec_duration.Ticks(e); });
    Column(trace_step::kRecord, size, [&](size_t e) {
      return static_cast<RecordRef>(step.exec_record[e]) == kNoRecord
                 ? 0
                 : ++num_records_;
    });
    Column(trace_step::kOutsideName, step.outside_name);
  }

  void WriteRecords(const Step& step) {
    for (size_t e = 0; e < step.num_records(); ++e) {
      const auto record = static_cast<RecordRef>(step.exec_record[e]);
      if (record != kNoRecord) WriteRecord(record);
      if (w_.size() > kFlushBytes) Flush();
    }
  }

  void WriteRecord(RecordRef record) {
    const RecordText text = profile_.Text(record);
    const Transfer transfer = profile_.TransferOf(record);
    const WireMessage m(w_, trace_profile::kRecord);
    TextField(trace_record::kName, text.name);
    TextField(trace_record::kLabel, text.label);
    TextField(trace_record::kOp, text.op);
    column_.clear();
    for (const auto& [key, value] : profile_.Arguments(record)) {
      column_.push_back(Text(key));
      column_.push_back(Text(value));
    }
    w_.PackedInt64(trace_record::kArguments, column_);
    if (transfer.kind == CopyKind::kUnknown && transfer.bytes < 0 &&
        transfer.tensor.empty() && transfer.from.empty() &&
        transfer.to.empty()) {
      return;
    }
    w_.Int64(trace_record::kCopyKind, static_cast<int64_t>(transfer.kind));
    w_.Int64(trace_record::kCopyBytes, transfer.bytes);
    TextField(trace_record::kTensor, transfer.tensor);
    TextField(trace_record::kFrom, transfer.from);
    TextField(trace_record::kTo, transfer.to);
  }

  void WriteTables() {
    {
      const Links& links = profile_.links();
      const WireMessage m(w_, trace_profile::kLinks);
      Column(trace_links::kFromStep, links.from_step);
      Column(trace_links::kFromIndex, links.from_index);
      Column(trace_links::kToStep, links.to_step);
      Column(trace_links::kToIndex, links.to_index);
      Column(trace_links::kKind, links.kind);
    }
    for (const Counter& counter : profile_.counters()) {
      const WireMessage m(w_, trace_profile::kCounter);
      w_.Int64(trace_counter::kName, Optional(counter.name));
      w_.Int64(trace_counter::kUnit, Optional(counter.unit));
      w_.Int64(trace_counter::kKind, static_cast<int64_t>(counter.kind));
      w_.Int64(trace_counter::kProcess, Optional(counter.process));
      w_.Int64(trace_counter::kLane, Optional(counter.lane));
      Column(trace_counter::kTime, counter.time);
      Column(trace_counter::kValueBits, counter.value.size(), [&](size_t i) {
        return std::bit_cast<int64_t>(counter.value[i]);
      });
    }
    WriteSavedCounters(profile_, SavedLanes::kNumbers,
                       trace_profile::kKernelCounters, w_);
    const StepIntervals& intervals = profile_.step_intervals();
    const WireMessage m(w_, trace_profile::kIntervals);
    Column(trace_intervals::kStep, intervals.step);
    Column(trace_intervals::kProcess, intervals.process);
    Column(trace_intervals::kStart, intervals.start);
    Column(trace_intervals::kEnd, intervals.end);
    Column(trace_intervals::kName, intervals.size(),
           [&](size_t i) { return Optional(intervals[i].name); });
  }

  const Profile& profile_;
  const GraphTables& graph_;
  const NodeTable& nodes_;
  Sink& sink_;
  // The strings of the profile, followed by the strings of records.
  StringPool strings_;
  WireWriter w_;
  std::vector<int64_t> column_;
  int64_t num_records_ = 0;
};

}  // namespace

absl::Status WriteTraceProfile(const Profile& profile, Sink& sink) {
  return Writer(profile, sink).Write();
}

}  // namespace tfprof
