#include "loaders/saved_trace/saved_trace.h"

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "loaders/core/saved_counters.h"
#include "loaders/saved_trace/columns.h"
#include "loaders/saved_trace/details.h"
#include "loaders/saved_trace/fields.h"
#include "loaders/saved_trace/ids.h"
#include "loaders/saved_trace/messages.h"
#include "loaders/saved_trace/step_tables.h"
#include "util/files/wire.h"

namespace tfprof::saved_trace {
namespace {

constexpr size_t kNumLaneKinds =
    static_cast<size_t>(profile::LaneKind::kPython) + 1;
constexpr size_t kNumLinkKinds =
    static_cast<size_t>(profile::LinkKind::kData) + 1;

profile::GroupSums SumsOf(const Columns& c, size_t g) {
  return {.node = static_cast<profile::NodeId>(c.At(trace_step::kNode, g)),
          .has_span = c.At(trace_step::kHasSpan, g) != 0,
          .run_count = c.At(trace_step::kRuns, g),
          .accelerator_time = c.At(trace_step::kAcceleratorTime, g),
          .cpu_time = c.At(trace_step::kCpuTime, g),
          .requested_bytes = c.At(trace_step::kRequested, g),
          .peak_bytes = c.At(trace_step::kPeak, g),
          .residual_bytes = c.At(trace_step::kResidual, g),
          .output_bytes = c.At(trace_step::kOutput, g),
          .start = c.At(trace_step::kSpanStart, g),
          .end = c.At(trace_step::kSpanEnd, g)};
}

// Each Make function returns false for damage: an id is outside of its table,
// or columns have different sizes.
class Loader {
 public:
  Loader(std::shared_ptr<const loaders::InputFile> file,
         loaders::LoadContext& context)
      : file_(std::move(file)),
        builder_(context.builder),
        graph_(builder_.mutable_graph()) {}

  absl::Status Load() {
    absl::StatusOr<SavedTraceMessages> messages = ReadTraceMessages(*file_);
    if (!messages.ok()) return messages.status();
    in_ = *std::move(messages);
    builder_.SetTicksPerMicro(in_.ticks_per_micro);
    graph_.has_code_traces |= in_.has_code_traces;
    graph_.edges_are_calls = in_.edges_are_calls;
    input_ = builder_.AddInput(
        std::make_shared<SavedTraceDetails>(file_, in_.strings));
    for (const std::string_view s : in_.strings) {
      ids_.push_back(graph_.strings.Intern(s));
    }
    if (!MakeShapes()) return Damaged("shapes");
    if (!MakeStacks()) return Damaged("call stacks");
    if (!MakeLanes()) return Damaged("lanes");
    if (!MakeScopes()) return Damaged("modules and scopes");
    if (!MakeNodes()) return Damaged("nodes");
    for (const std::string_view step : in_.steps) {
      if (!MakeStep(step)) return Damaged("a step");
    }
    builder_.FinishSteps(step_ids_);
    if (!MakeTables()) return Damaged("links, counters or intervals");
    return absl::OkStatus();
  }

 private:
  absl::Status Damaged(std::string_view what) const {
    return absl::DataLossError(fmt::format(
        "{}: the saved trace is damaged: its {} are not consistent; save it "
        "again from its source",
        file_->path(), what));
  }

  // ---- Ids

  std::optional<profile::StringId> OptionalString(int64_t value) const {
    const std::optional<uint32_t> id = OptionalId(value, ids_.size());
    return id && *id != profile::kNone ? ids_[*id] : id;
  }
  // Returns "" for none and for an id outside of the table.
  std::string Text(int64_t value) const {
    const std::optional<uint32_t> id = OptionalId(value, in_.strings.size());
    return id && *id != profile::kNone ? std::string(in_.strings[*id])
                                       : std::string();
  }

  // ---- Tables

  bool MakeShapes() {
    Columns c;
    shape_ids_ = {profile::kUnknownShape};
    for (const std::string_view shape : in_.shapes) {
      if (!c.Read(shape)) return false;
      shape_ids_.push_back(graph_.shapes.Intern(c[kTraceColumn]));
    }
    return true;
  }

  bool MakeStacks() {
    Columns c;
    if (!c.Read(in_.frames)) return false;
    const size_t frames = c.Size(trace_frames::kFile);
    if (!c.HaveRows(trace_frames::kFile, trace_frames::kStartLine, frames)) {
      return false;
    }
    std::vector<profile::FrameId> frame_ids;
    for (size_t i = 0; i < frames; ++i) {
      const auto file = OptionalString(c.At(trace_frames::kFile, i));
      const auto function = OptionalString(c.At(trace_frames::kFunction, i));
      const auto source = OptionalString(c.At(trace_frames::kSource, i));
      if (!file || !function || !source) return false;
      profile::Frame frame;
      frame.file = *file;
      frame.function = *function;
      frame.line = *source;
      frame.lineno = static_cast<int32_t>(c.At(trace_frames::kLine, i));
      frame.func_start_line =
          static_cast<int32_t>(c.At(trace_frames::kStartLine, i));
      frame_ids.push_back(graph_.stacks.InternFrame(frame));
    }
    stack_ids_ = {profile::kNoStack};
    return ReadTree(in_.stacks, frame_ids.size(),
                    [&](profile::StackId above, size_t i) {
                      stack_ids_.push_back(
                          graph_.stacks.Push(stack_ids_[above], frame_ids[i]));
                    });
  }

  bool MakeLanes() {
    profile::LaneTable& lanes = graph_.lanes;
    Columns c;
    for (const std::string_view bytes : in_.processes) {
      if (!c.Read(bytes)) return false;
      profile::Process process;
      process.rank = c.Number(trace_process::kRank, -1);
      process.host = Text(c.Number(trace_process::kHost));
      process.process_id = c.Number(trace_process::kProcessId, -1);
      process.name = Text(c.Number(trace_process::kName));
      process.job = Text(c.Number(trace_process::kJob));
      process.label = Text(c.Number(trace_process::kLabel));
      process.parameter_server =
          c.Number(trace_process::kIsParameterServer) != 0;
      process.job_ranks = c.Number(trace_process::kJobRanks, -1);
      lanes.AddProcess(std::move(process));
    }
    std::vector<profile::PhysicalId> physical_ids;
    for (const std::string_view bytes : in_.physical) {
      if (!c.Read(bytes)) return false;
      const auto process =
          OptionalId(c.Number(trace_physical::kProcess), in_.processes.size());
      if (!process) return false;
      physical_ids.push_back(
          lanes.InternPhysical(*process, Text(c.Number(trace_physical::kLabel)),
                               Text(c.Number(trace_physical::kName))));
      profile::PhysicalDevice& device =
          lanes.mutable_physical(physical_ids.back());
      device.kind = Text(c.Number(trace_physical::kKind));
      device.model = Text(c.Number(trace_physical::kModel));
      device.peak_flops_per_second =
          std::bit_cast<double>(c.Number(trace_physical::kPeakFlops));
      device.peak_bytes_per_second =
          std::bit_cast<double>(c.Number(trace_physical::kPeakBytes));
      device.memory_bytes = c.Number(trace_physical::kMemory);
    }
    for (const std::string_view bytes : in_.lanes) {
      if (!c.Read(bytes)) return false;
      const auto process =
          OptionalId(c.Number(trace_lane::kProcess), in_.processes.size());
      const auto name = OptionalString(c.Number(trace_lane::kName));
      const auto physical =
          OptionalId(c.Number(trace_lane::kPhysical), physical_ids.size());
      const int64_t kind = c.Number(trace_lane::kKind);
      const int64_t copies = c.Number(trace_lane::kCopies);
      if (!process || !name || !physical || !IsId(kind, kNumLaneKinds) ||
          !IsId(copies, profile::kNumCopyKinds)) {
        return false;
      }
      profile::Lane lane;
      lane.process = *process;
      lane.name = *name;
      lane.kind = static_cast<profile::LaneKind>(kind);
      if (*physical != profile::kNone) lane.physical = physical_ids[*physical];
      lane.thread = c.Number(trace_lane::kThread, -1);
      lane.stream = c.Number(trace_lane::kStream, profile::Lane::kNoStream);
      lane.clock = static_cast<uint32_t>(c.Number(trace_lane::kClock));
      lane.copies = static_cast<profile::CopyKind>(copies);
      lane.calls_nest = c.Number(trace_lane::kIsFlat) == 0;
      lanes.Add(lane);
    }
    return true;
  }

  bool MakeScopes() {
    Columns c;
    if (!c.Read(in_.modules)) return false;
    module_ids_ = {profile::kUnnamedModule};
    for (const int64_t name : c[kTraceColumn]) {
      if (!IsId(name, in_.strings.size())) return false;
      module_ids_.push_back(
          builder_.AddModule(in_.strings[static_cast<size_t>(name)]));
    }
    scope_ids_ = {profile::kRootScope};
    return ReadTree(in_.scopes, in_.strings.size(),
                    [&](profile::ScopeId above, size_t name) {
                      scope_ids_.push_back(builder_.AddScope(
                          scope_ids_[above], in_.strings[name]));
                    });
  }

  // ---- Nodes

  bool MakeNodes() {
    Columns nodes, edges, shapes;
    if (!nodes.Read(in_.nodes) || !edges.Read(in_.edges) ||
        !shapes.Read(in_.output_shapes)) {
      return false;
    }
    num_nodes_ = nodes.Size(trace_nodes::kName);
    const size_t num_edges = edges.Size(trace_edges::kSource);
    const size_t num_shapes = shapes.Size(trace_output_shapes::kIndex);
    if (!nodes.HaveRows(trace_nodes::kName, trace_nodes::kNumShapes,
                        num_nodes_) ||
        !edges.HaveRows(trace_edges::kSource, trace_edges::kPosition,
                        num_edges) ||
        shapes.Size(trace_output_shapes::kShape) != num_shapes) {
      return false;
    }
    std::vector<profile::RecordRef> record(num_nodes_, profile::kNoRecord);
    if (!FindDetails(record)) return false;
    size_t edge = 0, shape = 0;
    for (size_t i = 0; i < num_nodes_; ++i) {
      const profile::NodeId n = MakeNode(nodes, i, record[i]);
      if (n != i) return false;
      const int64_t of_node = nodes.At(trace_nodes::kNumEdges, i);
      const int64_t of_shapes = nodes.At(trace_nodes::kNumShapes, i);
      if (!IsId(of_node, num_edges - edge + 1) ||
          !IsId(of_shapes, num_shapes - shape + 1)) {
        return false;
      }
      for (const size_t end = edge + static_cast<size_t>(of_node); edge < end;
           ++edge) {
        const auto source =
            OptionalString(edges.At(trace_edges::kSource, edge));
        if (!source) return false;
        builder_.AddEdge(
            *source,
            static_cast<int32_t>(edges.At(trace_edges::kPosition, edge)),
            static_cast<int32_t>(edges.At(trace_edges::kSeenOutput, edge)),
            static_cast<int32_t>(edges.At(trace_edges::kOutput, edge)));
      }
      for (const size_t end = shape + static_cast<size_t>(of_shapes);
           shape < end; ++shape) {
        const int64_t id = shapes.At(trace_output_shapes::kShape, shape);
        if (!IsId(id, shape_ids_.size())) return false;
        builder_.AddOutputShape(
            static_cast<int32_t>(shapes.At(trace_output_shapes::kIndex, shape)),
            shape_ids_[static_cast<size_t>(id)]);
      }
    }
    return edge == num_edges && shape == num_shapes && SetForwards(nodes) &&
           AddTypes();
  }

  // Finds the position of the details of each node.
  bool FindDetails(std::vector<profile::RecordRef>& record) const {
    for (const auto& [bytes, field] : in_.node_details) {
      util::WireReader r(bytes);
      if (!r.Next() || r.tag() != util::VarintTag(trace_node_detail::kNode) ||
          !IsId(r.int64(), record.size())) {
        return false;
      }
      record[static_cast<size_t>(r.int64())] =
          profile::MakeRecordRef(input_, field);
    }
    return true;
  }

  // Returns kNone for damage, or if the node already exists.
  profile::NodeId MakeNode(const Columns& c, size_t i,
                           profile::RecordRef record) {
    const int64_t name = c.At(trace_nodes::kName, i);
    const int64_t op = c.At(trace_nodes::kOp, i);
    const int64_t module = c.At(trace_nodes::kModule, i);
    const int64_t scope = c.At(trace_nodes::kScope, i);
    const int64_t stack = c.At(trace_nodes::kStack, i);
    const int64_t shape = c.At(trace_nodes::kParameterShape, i);
    if (!IsId(name, in_.strings.size()) || !IsId(op, in_.strings.size()) ||
        !IsId(module, module_ids_.size()) || !IsId(scope, scope_ids_.size()) ||
        !IsId(stack, stack_ids_.size()) || !IsId(shape, shape_ids_.size())) {
      return profile::kNone;
    }
    const profile::NodeId n =
        builder_.AddNode(module_ids_[static_cast<size_t>(module)],
                         in_.strings[static_cast<size_t>(name)],
                         in_.strings[static_cast<size_t>(op)], record);
    if (n == profile::kNone) return profile::kNone;
    if (in_.has_scopes) {
      builder_.SetScope(n, scope_ids_[static_cast<size_t>(scope)]);
    }
    profile::NodeTable& nodes = builder_.mutable_graph().nodes;
    nodes.stack[n] = stack_ids_[static_cast<size_t>(stack)];
    nodes.parameter_shape[n] = shape_ids_[static_cast<size_t>(shape)];
    const int64_t float_ops = c.At(trace_nodes::kFloatOps, i);
    if (float_ops != 0) builder_.SetFloatOps(n, float_ops);
    return n;
  }

  bool SetForwards(const Columns& c) {
    for (profile::NodeId n = 0; n < num_nodes_; ++n) {
      const auto forward =
          OptionalId(c.At(trace_nodes::kForwardOf, n), num_nodes_);
      if (!forward) return false;
      if (*forward != profile::kNone) builder_.SetForward(n, *forward);
    }
    return true;
  }

  bool AddTypes() {
    for (const auto& [bytes, field] : in_.node_details) {
      profile::NodeId n = profile::kNone;
      util::WireReader r(bytes);
      while (r.Next()) {
        if (r.tag() == util::VarintTag(trace_node_detail::kNode)) {
          n = static_cast<profile::NodeId>(
              r.int64());  // checked by FindDetails
        }
        if (r.tag() != util::VarintTag(trace_node_detail::kType)) continue;
        if (!IsId(r.int64(), ids_.size())) return false;
        builder_.AddType(n, ids_[static_cast<size_t>(r.int64())]);
      }
    }
    return true;
  }

  // ---- Steps

  bool MakeStep(std::string_view bytes) {
    Columns c;
    if (!c.Read(bytes)) return false;
    const size_t groups = c.Size(trace_step::kNode);
    const size_t size = c.Size(trace_step::kLane);
    const size_t outside = c.Size(trace_step::kOutsideName);
    if (!c.HaveRows(trace_step::kNode, trace_step::kNumExecutions, groups) ||
        !c.HaveRows(trace_step::kLane, trace_step::kRecord, size) ||
        outside > size) {
      return false;
    }
    const int64_t id = c.Number(trace_step::kId);
    const int64_t ticks = c.Number(trace_step::kTicksPerMicro, 1);
    if (ticks != 1 && ticks != 1000 && ticks != 1'000'000) return false;
    std::vector<profile::GroupSums> sums;
    std::vector<profile::ExecutionRecord> records;
    size_t e = 0;
    for (size_t g = 0; g < groups; ++g) {
      const int64_t node = c.At(trace_step::kNode, g);
      const int64_t count = c.At(trace_step::kNumExecutions, g);
      // Node ids ascend, so each node has one group.
      if (!IsId(node, num_nodes_) || !IsId(count, size - outside - e + 1) ||
          (g > 0 && node <= c.At(trace_step::kNode, g - 1))) {
        return false;
      }
      sums.push_back(SumsOf(c, g));
      for (const size_t end = e + static_cast<size_t>(count); e < end; ++e) {
        profile::NamedExecution execution;
        if (!ReadExecution(c, e, execution)) return false;
        records.push_back({.node = static_cast<profile::NodeId>(node),
                           .lane = execution.lane,
                           .start = execution.start,
                           .duration = execution.duration,
                           .record = execution.record});
      }
    }
    if (e + outside != size) return false;
    if (c.Number(trace_step::kListed) != 0) builder_.AddStep(id);
    builder_.AddGroups(id, std::move(sums), std::move(records), ticks);
    for (size_t i = 0; i < outside; ++i) {
      profile::NamedExecution execution;
      const int64_t name = c.At(trace_step::kOutsideName, i);
      if (!IsId(name, ids_.size()) || !ReadExecution(c, e + i, execution)) {
        return false;
      }
      execution.name = ids_[static_cast<size_t>(name)];
      builder_.AddOutside(id, execution, ticks);
    }
    step_ids_.push_back(id);
    return true;
  }

  bool ReadExecution(const Columns& c, size_t e,
                     profile::NamedExecution& execution) {
    const auto lane = OptionalId(c.At(trace_step::kLane, e), in_.lanes.size());
    const auto record =
        OptionalId(c.At(trace_step::kRecord, e), in_.records.size());
    if (!lane || !record) return false;
    execution.lane = *lane;
    if (c.At(trace_step::kHasStart, e) != 0) {
      execution.start = c.At(trace_step::kStart, e);
    }
    execution.duration = c.At(trace_step::kDuration, e);
    if (*record != profile::kNone) {
      execution.record = profile::MakeRecordRef(input_, in_.records[*record]);
    }
    return true;
  }

  // ---- Links, counters, intervals

  bool MakeTables() {
    Columns c;
    if (!c.Read(in_.links)) return false;
    const size_t links = c.Size(trace_links::kKind);
    if (!c.HaveRows(trace_links::kFromStep, trace_links::kKind, links)) {
      return false;
    }
    for (size_t i = 0; i < links; ++i) {
      const int64_t kind = c.At(trace_links::kKind, i);
      if (!IsId(kind, kNumLinkKinds)) return false;
      profile::Link link;
      link.from = {c.At(trace_links::kFromStep, i),
                   static_cast<uint32_t>(c.At(trace_links::kFromIndex, i))};
      link.to = {c.At(trace_links::kToStep, i),
                 static_cast<uint32_t>(c.At(trace_links::kToIndex, i))};
      link.kind = static_cast<profile::LinkKind>(kind);
      builder_.AddLink(link);
    }
    for (const std::string_view counter : in_.counters) {
      if (!MakeCounter(counter)) return false;
    }
    return MakeKernelCounters() && MakeIntervals() && MakePipeline() &&
           AddPhases(in_.phases, in_.processes.size(), builder_) &&
           AddReplays(in_.replays, in_.processes.size(), builder_);
  }

  bool MakeKernelCounters() {
    if (in_.kernel_counters.empty()) return true;
    const auto id = [](int64_t number, size_t size) {
      return OptionalId(number, size).value_or(profile::kNone);
    };
    const loaders::SavedCounterPlaces places = {
        .node = [&](int64_t number) { return id(number, graph_.nodes.size()); },
        .lane = [&](int64_t number,
                    std::string_view) { return id(number, in_.lanes.size()); },
    };
    profile::KernelCounters counters;
    if (!loaders::ReadSavedCounters(in_.kernel_counters, places, graph_.strings,
                                    counters)) {
      return false;
    }
    builder_.SetKernelCounters(std::move(counters));
    return true;
  }

  bool MakeCounter(std::string_view bytes) {
    Columns c;
    if (!c.Read(bytes)) return false;
    const auto name = OptionalString(c.Number(trace_counter::kName));
    const auto unit = OptionalString(c.Number(trace_counter::kUnit));
    const auto process =
        OptionalId(c.Number(trace_counter::kProcess), in_.processes.size());
    const auto lane =
        OptionalId(c.Number(trace_counter::kLane), in_.lanes.size());
    const size_t size = c.Size(trace_counter::kTime);
    // A counter has a name and a process; only a plain number has no unit.
    if (!name || *name == profile::kNone || !unit || !process ||
        *process == profile::kNone || !lane ||
        c.Size(trace_counter::kValueBits) != size) {
      return false;
    }
    profile::Counter counter;
    counter.name = *name;
    counter.unit = *unit;
    counter.kind = c.Number(trace_counter::kKind) == 0
                       ? profile::Counter::Kind::kLevel
                       : profile::Counter::Kind::kChange;
    counter.process = *process;
    counter.lane = *lane;
    std::vector<profile::CounterSample> samples;
    for (size_t i = 0; i < size; ++i) {
      samples.push_back(
          {.time = c.At(trace_counter::kTime, i),
           .value = std::bit_cast<double>(c.At(trace_counter::kValueBits, i))});
    }
    builder_.AddCounter(std::move(counter), std::move(samples));
    return true;
  }

  bool MakeIntervals() {
    Columns c;
    if (!c.Read(in_.intervals)) return false;
    const size_t size = c.Size(trace_intervals::kStep);
    if (!c.HaveRows(trace_intervals::kStep, trace_intervals::kName, size)) {
      return false;
    }
    for (size_t i = 0; i < size; ++i) {
      const int64_t process = c.At(trace_intervals::kProcess, i);
      const auto name = OptionalString(c.At(trace_intervals::kName, i));
      profile::StepInterval interval;
      interval.step = c.At(trace_intervals::kStep, i);
      interval.start = c.At(trace_intervals::kStart, i);
      interval.end = c.At(trace_intervals::kEnd, i);
      if (!name || !IsId(process, in_.processes.size()) ||
          interval.end < interval.start) {
        return false;
      }
      interval.process = static_cast<profile::ProcessId>(process);
      interval.name = *name;
      builder_.AddStepInterval(interval);
    }
    return true;
  }

  bool MakePipeline() {
    Columns c;
    if (!c.Read(in_.pipeline)) return false;
    const size_t size = c.Size(trace_pipeline::kStep);
    if (!c.HaveRows(trace_pipeline::kStep, trace_pipeline::kDuration, size)) {
      return false;
    }
    bool good = true;
    for (size_t i = 0; i < size; ++i) {
      const auto number = [&](uint32_t column, int64_t least) {
        const int64_t value = c.At(column, i);
        good &= value >= least && value <= std::numeric_limits<int32_t>::max();
        return static_cast<int32_t>(value);
      };
      const auto type = OptionalString(c.At(trace_pipeline::kType, i));
      profile::PipelineOp op;
      op.step = c.At(trace_pipeline::kStep, i);
      op.dp = number(trace_pipeline::kDp, 0);
      op.stage = number(trace_pipeline::kStage, 0);
      op.sequence = number(trace_pipeline::kSequence, 0);
      op.micro_batch = number(trace_pipeline::kMicroBatch, -1);
      op.model_chunk = number(trace_pipeline::kModelChunk, -1);
      op.start = c.At(trace_pipeline::kStart, i);
      op.duration = c.At(trace_pipeline::kDuration, i);
      if (!good || !type || *type == profile::kNone || op.duration < 0) {
        return false;
      }
      op.type = *type;
      builder_.AddPipelineOp(op);
    }
    return true;
  }

  const std::shared_ptr<const loaders::InputFile> file_;
  SavedTraceMessages in_;
  profile::ProfileBuilder& builder_;
  profile::GraphTables& graph_;
  uint32_t input_ = 0;

  // Ids in the profile, by the ids in the file.
  std::vector<profile::StringId> ids_;
  std::vector<profile::ShapeId> shape_ids_;
  std::vector<profile::StackId> stack_ids_;
  std::vector<profile::ModuleId> module_ids_;
  std::vector<profile::ScopeId> scope_ids_;
  size_t num_nodes_ = 0;
  std::vector<int64_t> step_ids_;
};

}  // namespace

absl::Status LoadSavedTrace(std::shared_ptr<const loaders::InputFile> file,
                            loaders::LoadContext& context) {
  const size_t size = file->bytes().size();
  absl::Status status = Loader(std::move(file), context).Load();
  context.progress->done += static_cast<int64_t>(size);
  return status;
}

}  // namespace tfprof::saved_trace
