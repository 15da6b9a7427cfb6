#include "exporters/formats/saved_trace.h"

#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

#include "exporters/formats/saved_counters.h"
#include "loaders/saved_trace/fields.h"
#include "util/files/wire_writer.h"

namespace tfprof::exporters {
namespace {

// Encodes kNone as 0.
int64_t Optional(uint32_t id) {
  return id == profile::kNone ? 0 : int64_t{id} + 1;
}

class Writer {
 public:
  Writer(const profile::Profile& profile, util::Sink& sink)
      : profile_(profile),
        graph_(profile.graph()),
        nodes_(profile.nodes()),
        sink_(sink),
        strings_(profile.strings()) {}

  absl::Status Write() {
    w_.Bytes(saved_trace::saved_trace::kMagic, saved_trace::kSavedTraceMagic);
    w_.Int64(saved_trace::saved_trace::kTicksPerMicro,
             profile_.ticks_per_micro());
    w_.Int64IfSet(saved_trace::saved_trace::kHasCodeTraces,
                  graph_.has_code_traces);
    w_.Int64IfSet(saved_trace::saved_trace::kHasScopes, !nodes_.scope.empty());
    w_.Int64IfSet(saved_trace::saved_trace::kEdgesAreCalls,
                  graph_.edges_are_calls);
    WriteShapes();
    WriteStacks();
    WriteLanes();
    WriteScopes();
    WriteNodes();
    for (profile::NodeId n = 0; n < nodes_.size(); ++n) {
      if (n % kBetweenLooks == 0 && !sink_.wanted()) return absl::OkStatus();
      WriteNodeDetail(n);
    }
    for (const auto& step : profile_.steps()) {
      WriteStep(*step);
      WriteRecords(*step);
      if (!Flush()) return absl::OkStatus();
    }
    WriteTables();
    for (profile::StringId s = 0; s < strings_.size(); ++s) {
      w_.Bytes(saved_trace::saved_trace::kString, strings_.Get(s));
      if (w_.size() > kFlushBytes && !Flush()) break;
    }
    Flush();
    return absl::OkStatus();
  }

 private:
  static constexpr size_t kFlushBytes = 1 << 20;
  // How many records are written before the next look at the sink.
  static constexpr size_t kBetweenLooks = 1 << 10;

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
  void Column(uint32_t field, const profile::IntColumn& values) {
    Column(field, values.size(), [&](size_t i) { return values[i]; });
  }

  int64_t Text(std::string_view text) { return strings_.Intern(text); }
  void TextField(uint32_t field, std::string_view text) {
    if (!text.empty()) w_.Int64(field, Text(text) + 1);
  }

  void WriteShapes() {
    const profile::ShapeTable& shapes = graph_.shapes;
    // The first shape is "unknown" in every profile.
    for (profile::ShapeId s = 1; s < shapes.size(); ++s) {
      const util::WireMessage m(w_, saved_trace::saved_trace::kShape);
      w_.PackedInt64(saved_trace::kTraceColumn, shapes[s]);
    }
  }

  void WriteStacks() {
    const profile::CallStacks& stacks = graph_.stacks;
    {
      const util::WireMessage m(w_, saved_trace::saved_trace::kFrames);
      const auto frame = [&](size_t i) -> const profile::Frame& {
        return stacks.frame(static_cast<profile::FrameId>(i));
      };
      const size_t size = stacks.num_frames();
      Column(saved_trace::trace_frames::kFile, size,
             [&](size_t i) { return Optional(frame(i).file); });
      Column(saved_trace::trace_frames::kFunction, size,
             [&](size_t i) { return Optional(frame(i).function); });
      Column(saved_trace::trace_frames::kSource, size,
             [&](size_t i) { return Optional(frame(i).line); });
      Column(saved_trace::trace_frames::kLine, size,
             [&](size_t i) { return frame(i).lineno; });
      Column(saved_trace::trace_frames::kStartLine, size,
             [&](size_t i) { return frame(i).func_start_line; });
    }
    const util::WireMessage m(w_, saved_trace::saved_trace::kStacks);
    const auto entry = [&](size_t i) -> const profile::CallStacks::Entry& {
      return stacks[static_cast<profile::StackId>(i + 1)];
    };
    const size_t size = stacks.size() - 1;
    Column(saved_trace::trace_tree::kParent, size,
           [&](size_t i) { return entry(i).parent; });
    Column(saved_trace::trace_tree::kContent, size,
           [&](size_t i) { return entry(i).frame; });
  }

  void WriteLanes() {
    const profile::LaneTable& lanes = graph_.lanes;
    for (profile::ProcessId p = 0; p < lanes.num_processes(); ++p) {
      const profile::Process& process = lanes.process(p);
      const util::WireMessage m(w_, saved_trace::saved_trace::kProcess);
      w_.Int64(saved_trace::trace_process::kRank, process.rank);
      TextField(saved_trace::trace_process::kHost, process.host);
      w_.Int64(saved_trace::trace_process::kProcessId, process.process_id);
      TextField(saved_trace::trace_process::kName, process.name);
      TextField(saved_trace::trace_process::kJob, process.job);
      TextField(saved_trace::trace_process::kLabel, process.label);
      w_.Int64IfSet(saved_trace::trace_process::kIsParameterServer,
                    process.parameter_server);
      w_.Int64(saved_trace::trace_process::kJobRanks, process.job_ranks);
    }
    for (profile::PhysicalId p = 0; p < lanes.num_physical(); ++p) {
      const profile::PhysicalDevice& device = lanes.physical(p);
      const util::WireMessage m(w_, saved_trace::saved_trace::kPhysical);
      w_.Int64(saved_trace::trace_physical::kProcess, Optional(device.process));
      TextField(saved_trace::trace_physical::kLabel, device.label);
      TextField(saved_trace::trace_physical::kName, device.name);
      TextField(saved_trace::trace_physical::kKind, device.kind);
      TextField(saved_trace::trace_physical::kModel, device.model);
      w_.Uint64(saved_trace::trace_physical::kPeakFlops,
                std::bit_cast<uint64_t>(device.peak_flops_per_second));
      w_.Uint64(saved_trace::trace_physical::kPeakBytes,
                std::bit_cast<uint64_t>(device.peak_bytes_per_second));
      w_.Int64(saved_trace::trace_physical::kMemory, device.memory_bytes);
    }
    for (profile::LaneId l = 0; l < lanes.size(); ++l) {
      const profile::Lane& lane = lanes[l];
      const util::WireMessage m(w_, saved_trace::saved_trace::kLane);
      w_.Int64(saved_trace::trace_lane::kProcess, Optional(lane.process));
      w_.Int64(saved_trace::trace_lane::kName, Optional(lane.name));
      w_.Int64(saved_trace::trace_lane::kKind, static_cast<int64_t>(lane.kind));
      w_.Int64(saved_trace::trace_lane::kPhysical, Optional(lane.physical));
      w_.Int64(saved_trace::trace_lane::kThread, lane.thread);
      w_.Int64(saved_trace::trace_lane::kStream, lane.stream);
      w_.Int64(saved_trace::trace_lane::kClock, lane.clock);
      w_.Int64(saved_trace::trace_lane::kCopies,
               static_cast<int64_t>(lane.copies));
      if (!lane.calls_nest) w_.Int64(saved_trace::trace_lane::kIsFlat, 1);
    }
  }

  void WriteScopes() {
    {
      const util::WireMessage m(w_, saved_trace::saved_trace::kModules);
      Column(
          saved_trace::kTraceColumn, graph_.modules.size() - 1, [&](size_t i) {
            return graph_.modules.name(static_cast<profile::ModuleId>(i + 1));
          });
    }
    const profile::Scopes& scopes = graph_.scopes;
    const util::WireMessage m(w_, saved_trace::saved_trace::kScopes);
    const auto entry = [&](size_t i) -> const profile::Scopes::Entry& {
      return scopes[static_cast<profile::ScopeId>(i + 1)];
    };
    const size_t size = scopes.size() - 1;
    Column(saved_trace::trace_tree::kParent, size,
           [&](size_t i) { return entry(i).parent; });
    Column(saved_trace::trace_tree::kContent, size,
           [&](size_t i) { return entry(i).name; });
  }

  void WriteNodes() {
    const size_t size = nodes_.size();
    {
      const util::WireMessage m(w_, saved_trace::saved_trace::kNodes);
      const auto of = [](const auto& column) {
        return [&column](size_t i) { return column[i]; };
      };
      Column(saved_trace::trace_nodes::kName, size, of(nodes_.name));
      Column(saved_trace::trace_nodes::kOp, size, of(nodes_.op));
      Column(saved_trace::trace_nodes::kModule, size, [&](size_t i) {
        return nodes_.ModuleOf(static_cast<profile::NodeId>(i));
      });
      Column(saved_trace::trace_nodes::kScope, size, [&](size_t i) {
        return nodes_.scope.empty() ? profile::kRootScope : nodes_.scope[i];
      });
      Column(saved_trace::trace_nodes::kStack, size, of(nodes_.stack));
      Column(saved_trace::trace_nodes::kParameterShape, size,
             of(nodes_.parameter_shape));
      Column(saved_trace::trace_nodes::kFloatOps, size, [&](size_t i) {
        return nodes_.FloatOps(static_cast<profile::NodeId>(i));
      });
      Column(saved_trace::trace_nodes::kForwardOf, size, [&](size_t i) {
        return nodes_.forward_of.empty() ? 0 : Optional(nodes_.forward_of[i]);
      });
      Column(saved_trace::trace_nodes::kNumEdges, size, [&](size_t i) {
        return nodes_.num_inputs(static_cast<profile::NodeId>(i));
      });
      Column(saved_trace::trace_nodes::kNumShapes, size, [&](size_t i) {
        return nodes_.shape_begin[i + 1] - nodes_.shape_begin[i];
      });
    }
    {
      const util::WireMessage m(w_, saved_trace::saved_trace::kEdges);
      const size_t edges = nodes_.edge_source.size();
      const auto any = [](const std::vector<int32_t>& column) {
        return [&column](size_t i) { return column.empty() ? 0 : column[i]; };
      };
      Column(saved_trace::trace_edges::kSource, edges,
             [&](size_t i) { return Optional(nodes_.edge_source[i]); });
      Column(saved_trace::trace_edges::kSeenOutput, edges,
             any(nodes_.edge_seen_output));
      Column(saved_trace::trace_edges::kOutput, edges, any(nodes_.edge_output));
      profile::NodeId reader = 0;
      Column(saved_trace::trace_edges::kPosition, edges, [&](size_t i) {
        while (nodes_.edge_begin[reader + 1] <= i) ++reader;
        return nodes_.Position(reader, static_cast<uint32_t>(i));
      });
    }
    const util::WireMessage m(w_, saved_trace::saved_trace::kOutputShapes);
    const size_t shapes = nodes_.output_shape.size();
    Column(saved_trace::trace_output_shapes::kIndex, shapes,
           [&](size_t i) { return nodes_.output_shape[i].index; });
    Column(saved_trace::trace_output_shapes::kShape, shapes,
           [&](size_t i) { return nodes_.output_shape[i].shape; });
  }

  void WriteNodeDetail(profile::NodeId n) {
    const profile::AttributeList attributes = profile_.Attributes(n);
    const std::vector<std::string_view> inputs = profile_.Inputs(n);
    const auto types = graph_.type_sets[nodes_.types[n]];
    const bool has_types = types.size() != 1 || types[0] != nodes_.op[n];
    if (attributes.empty() && inputs.empty() && !has_types) return;
    {
      const util::WireMessage m(w_, saved_trace::saved_trace::kNodeDetail);
      w_.Int64(saved_trace::trace_node_detail::kNode, n);
      for (const auto& [key, value] : attributes) {
        const util::WireMessage attribute(
            w_, saved_trace::trace_node_detail::kAttribute);
        w_.Bytes(saved_trace::trace_attribute::kKey, key);
        w_.Bytes(saved_trace::trace_attribute::kValue, value);
      }
      for (const std::string_view input : inputs) {
        w_.Bytes(saved_trace::trace_node_detail::kInput, input);
      }
      for (const profile::StringId type : types) {
        if (type != nodes_.op[n])
          w_.Int64(saved_trace::trace_node_detail::kType, type);
      }
    }
    if (w_.size() > kFlushBytes) Flush();
  }

  void WriteStep(const profile::Step& step) {
    const util::WireMessage m(w_, saved_trace::saved_trace::kStep);
    w_.Int64(saved_trace::trace_step::kId, step.id);
    w_.Int64(saved_trace::trace_step::kListed, step.listed);
    w_.Int64(saved_trace::trace_step::kTicksPerMicro,
             step.exec_start.ticks_per_micro());
    const size_t groups = step.num_groups();
    const profile::StepSums& sums = step.sums;
    Column(saved_trace::trace_step::kNode, step.node);
    Column(saved_trace::trace_step::kRuns, sums.run_count);
    Column(saved_trace::trace_step::kAcceleratorTime, sums.accelerator_time);
    Column(saved_trace::trace_step::kCpuTime, sums.cpu_time);
    Column(saved_trace::trace_step::kRequested, sums.requested_bytes);
    Column(saved_trace::trace_step::kPeak, sums.peak_bytes);
    Column(saved_trace::trace_step::kResidual, sums.residual_bytes);
    Column(saved_trace::trace_step::kOutput, sums.output_bytes);
    Column(saved_trace::trace_step::kHasSpan, sums.has_span);
    Column(saved_trace::trace_step::kSpanStart, groups,
           [&](size_t g) { return sums.HasSpan(g) ? sums.start.Ticks(g) : 0; });
    Column(saved_trace::trace_step::kSpanEnd, groups,
           [&](size_t g) { return sums.HasSpan(g) ? sums.end.Ticks(g) : 0; });
    Column(saved_trace::trace_step::kNumExecutions, groups,
           [&](size_t g) { return step.exec_end(g) - step.exec_begin(g); });
    const size_t size = step.num_records();
    Column(saved_trace::trace_step::kLane, size,
           [&](size_t e) { return Optional(step.LaneOf(e)); });
    Column(saved_trace::trace_step::kHasStart, size,
           [&](size_t e) { return step.HasStart(e); });
    Column(saved_trace::trace_step::kStart, size, [&](size_t e) {
      return step.HasStart(e) ? step.exec_start.Ticks(e) : 0;
    });
    Column(saved_trace::trace_step::kDuration, size,
           [&](size_t e) { return step.exec_duration.Ticks(e); });
    Column(saved_trace::trace_step::kRecord, size, [&](size_t e) {
      return static_cast<profile::RecordRef>(step.exec_record[e]) ==
                     profile::kNoRecord
                 ? 0
                 : ++num_records_;
    });
    Column(saved_trace::trace_step::kOutsideName, step.outside_name);
  }

  void WriteRecords(const profile::Step& step) {
    for (size_t e = 0; e < step.num_records(); ++e) {
      const auto record = static_cast<profile::RecordRef>(step.exec_record[e]);
      if (record != profile::kNoRecord) WriteRecord(record);
      if (w_.size() > kFlushBytes) Flush();
      if (e % kBetweenLooks == 0 && !sink_.wanted()) return;
    }
  }

  void WriteRecord(profile::RecordRef record) {
    const profile::RecordText text = profile_.Text(record);
    const profile::Transfer transfer = profile_.TransferOf(record);
    const util::WireMessage m(w_, saved_trace::saved_trace::kRecord);
    TextField(saved_trace::trace_record::kName, text.name);
    TextField(saved_trace::trace_record::kLabel, text.label);
    TextField(saved_trace::trace_record::kOp, text.op);
    column_.clear();
    for (const auto& [key, value] : profile_.Arguments(record)) {
      column_.push_back(Text(key));
      column_.push_back(Text(value));
    }
    w_.PackedInt64(saved_trace::trace_record::kArguments, column_);
    if (transfer.kind == profile::CopyKind::kUnknown && transfer.bytes < 0 &&
        transfer.tensor.empty() && transfer.from.empty() &&
        transfer.to.empty()) {
      return;
    }
    w_.Int64(saved_trace::trace_record::kCopyKind,
             static_cast<int64_t>(transfer.kind));
    w_.Int64(saved_trace::trace_record::kCopyBytes, transfer.bytes);
    TextField(saved_trace::trace_record::kTensor, transfer.tensor);
    TextField(saved_trace::trace_record::kFrom, transfer.from);
    TextField(saved_trace::trace_record::kTo, transfer.to);
  }

  void WriteTables() {
    {
      const profile::Links& links = profile_.links();
      const util::WireMessage m(w_, saved_trace::saved_trace::kLinks);
      Column(saved_trace::trace_links::kFromStep, links.from_step);
      Column(saved_trace::trace_links::kFromIndex, links.from_index);
      Column(saved_trace::trace_links::kToStep, links.to_step);
      Column(saved_trace::trace_links::kToIndex, links.to_index);
      Column(saved_trace::trace_links::kKind, links.kind);
    }
    for (const profile::Counter& counter : profile_.counters()) {
      const util::WireMessage m(w_, saved_trace::saved_trace::kCounter);
      w_.Int64(saved_trace::trace_counter::kName, Optional(counter.name));
      w_.Int64(saved_trace::trace_counter::kUnit, Optional(counter.unit));
      w_.Int64(saved_trace::trace_counter::kKind,
               static_cast<int64_t>(counter.kind));
      w_.Int64(saved_trace::trace_counter::kProcess, Optional(counter.process));
      w_.Int64(saved_trace::trace_counter::kLane, Optional(counter.lane));
      Column(saved_trace::trace_counter::kTime, counter.time);
      Column(
          saved_trace::trace_counter::kValueBits, counter.value.size(),
          [&](size_t i) { return std::bit_cast<int64_t>(counter.value[i]); });
    }
    WriteSavedCounters(profile_, SavedLanes::kNumbers,
                       saved_trace::saved_trace::kKernelCounters, w_);
    WritePipeline();
    WritePhases();
    WriteReplays();
    const profile::StepIntervals& intervals = profile_.step_intervals();
    const util::WireMessage m(w_, saved_trace::saved_trace::kIntervals);
    Column(saved_trace::trace_intervals::kStep, intervals.step);
    Column(saved_trace::trace_intervals::kProcess, intervals.process);
    Column(saved_trace::trace_intervals::kStart, intervals.start);
    Column(saved_trace::trace_intervals::kEnd, intervals.end);
    Column(saved_trace::trace_intervals::kName, intervals.size(),
           [&](size_t i) { return Optional(intervals[i].name); });
  }

  void WritePipeline() {
    namespace fields = saved_trace::trace_pipeline;
    const profile::PipelineOps& ops = profile_.pipeline_ops();
    if (ops.size() == 0) return;
    const util::WireMessage m(w_, saved_trace::saved_trace::kPipeline);
    Column(fields::kStep, ops.step);
    Column(fields::kDp, ops.dp);
    Column(fields::kStage, ops.stage);
    Column(fields::kType, ops.size(),
           [&](size_t i) { return Optional(ops[i].type); });
    Column(fields::kSequence, ops.sequence);
    Column(fields::kMicroBatch, ops.micro_batch);
    Column(fields::kModelChunk, ops.model_chunk);
    Column(fields::kStart, ops.start);
    Column(fields::kDuration, ops.duration);
  }

  void WritePhases() {
    const profile::StepPhases& rows = profile_.step_phases();
    if (rows.empty()) return;
    const util::WireMessage m(w_, saved_trace::saved_trace::kPhases);
    const auto column = [&](uint32_t field, auto member) {
      Column(field, rows.size(), [&](size_t i) { return rows[i].*member; });
    };
    using Row = profile::StepPhase;
    namespace fields = saved_trace::trace_phases;
    column(fields::kStep, &Row::step);
    column(fields::kProcess, &Row::process);
    column(fields::kPhase, &Row::phase);
    column(fields::kRequests, &Row::requests);
    column(fields::kTokens, &Row::tokens);
  }

  void WriteReplays() {
    const profile::GraphReplays& rows = profile_.graph_replays();
    if (rows.empty()) return;
    const util::WireMessage m(w_, saved_trace::saved_trace::kReplays);
    const auto column = [&](uint32_t field, auto member) {
      Column(field, rows.size(), [&](size_t i) { return rows[i].*member; });
    };
    using Row = profile::GraphReplay;
    namespace fields = saved_trace::trace_replays;
    column(fields::kStep, &Row::step);
    column(fields::kProcess, &Row::process);
    column(fields::kLaunches, &Row::launches);
    column(fields::kKernels, &Row::kernels);
    column(fields::kTime, &Row::time);
    column(fields::kUnnamedLaunches, &Row::unnamed_launches);
    column(fields::kUnnamedKernels, &Row::unnamed_kernels);
    column(fields::kUnnamedTime, &Row::unnamed_time);
  }

  const profile::Profile& profile_;
  const profile::GraphTables& graph_;
  const profile::NodeTable& nodes_;
  util::Sink& sink_;
  // The strings of the profile, followed by the strings of records.
  profile::StringPool strings_;
  util::WireWriter w_;
  std::vector<int64_t> column_;
  int64_t num_records_ = 0;
};

}  // namespace

absl::Status WriteSavedTrace(const profile::Profile& profile,
                             util::Sink& sink) {
  return Writer(profile, sink).Write();
}

}  // namespace tfprof::exporters
