#include "profile/profile_builder.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "util/threads.h"

namespace tfprof {

uint32_t ProfileBuilder::AddInput(std::shared_ptr<const DetailReader> reader) {
  profile_.inputs_.push_back(std::move(reader));
  return static_cast<uint32_t>(profile_.inputs_.size() - 1);
}

void ProfileBuilder::CopySharedGraph() {
  profile_.graph_ = std::make_shared<GraphTables>(*profile_.graph_);
  shared_graph_ = false;
}

void ProfileBuilder::SetRules(const AccountingRules& rules) {
  rules_ = &rules;
  mutable_graph().self_times = rules.SelfTimes();
}

void ProfileBuilder::SetTicksPerMicro(int64_t ticks_per_micro) {
  int64_t& ticks = mutable_graph().ticks_per_micro;
  ticks = std::max(ticks, ticks_per_micro);
}

NodeId ProfileBuilder::AddNode(std::string_view name, std::string_view op,
                               RecordRef record) {
  StringPool& strings = mutable_graph().strings;
  const StringId name_id = strings.Intern(name);
  if (graph().nodes.Find(name_id) != kNone) return kNone;
  return AddNode(name_id, strings.Intern(op), record);
}

void ProfileBuilder::ReserveNodes(size_t count, size_t edges) {
  GraphTables& graph = mutable_graph();
  NodeTable& nodes = graph.nodes;
  const size_t size = nodes.size() + count;
  graph.strings.Reserve(graph.strings.size() + count);
  nodes.by_name.reserve(graph.strings.size() + count);
  const size_t all_edges = nodes.edge_source.size() + edges;
  nodes.edge_source.reserve(all_edges);
  if (!nodes.edge_output.empty()) nodes.edge_output.reserve(all_edges);
  nodes.name.reserve(size);
  nodes.op.reserve(size);
  nodes.types.reserve(size);
  nodes.parameter_shape.reserve(size);
  nodes.device.reserve(size);
  nodes.stack.reserve(size);
  nodes.record.reserve(size);
  nodes.edge_begin.reserve(size + 1);
  nodes.shape_begin.reserve(size + 1);
}

NodeId ProfileBuilder::AddNode(StringId name_id, StringId op_id,
                               RecordRef record) {
  GraphTables& graph = mutable_graph();
  NodeTable& nodes = graph.nodes;
  if (nodes.Find(name_id) != kNone) return kNone;
  if (name_id >= nodes.by_name.size()) {
    nodes.by_name.resize(std::max<size_t>(name_id + 1, graph.strings.size()),
                         kNone);
  }
  nodes.by_name[name_id] = static_cast<NodeId>(nodes.size());
  return AppendNode(name_id, op_id, record);
}

inline NodeId ProfileBuilder::AppendNode(StringId name_id, StringId op_id,
                                         RecordRef record) {
  GraphTables& graph = mutable_graph();
  NodeTable& nodes = graph.nodes;
  const auto n = static_cast<NodeId>(nodes.size());
  nodes.name.push_back(name_id);
  nodes.op.push_back(op_id);
  if (op_id >= types_of_op_.size()) types_of_op_.resize(op_id + 1, kNone);
  TypeSetId& types = types_of_op_[op_id];
  if (types == kNone) {
    types = graph.type_sets.Add(kNoTypes, op_id, graph.strings);
  }
  nodes.types.push_back(types);
  nodes.parameter_shape.push_back(kUnknownShape);
  nodes.device.push_back(kNone);
  nodes.stack.push_back(kNoStack);
  if (!nodes.float_ops.empty()) nodes.float_ops.push_back(0);
  nodes.record.push_back(record);
  if (!nodes.module.empty()) nodes.module.push_back(kUnnamedModule);
  if (!nodes.scope.empty()) nodes.scope.push_back(kRootScope);
  if (!nodes.forward_of.empty()) nodes.forward_of.push_back(kNone);
  nodes.edge_begin.push_back(static_cast<uint32_t>(nodes.edge_source.size()));
  nodes.shape_begin.push_back(static_cast<uint32_t>(nodes.output_shape.size()));
  return n;
}

NodeId ProfileBuilder::AddNode(ModuleId module, std::string_view name,
                               std::string_view op, RecordRef record) {
  if (module == kUnnamedModule) return AddNode(name, op, record);
  GraphTables& graph = mutable_graph();
  NodeTable& nodes = graph.nodes;
  const StringId name_id = graph.strings.Intern(name);
  const auto n = static_cast<NodeId>(nodes.size());
  if (!nodes.in_module.try_emplace({module, name_id}, n).second) return kNone;
  AppendNode(name_id, graph.strings.Intern(op), record);
  nodes.module.resize(nodes.size(), kUnnamedModule);
  nodes.module[n] = module;
  return n;
}

namespace {

// Appends to a column that is empty until a value differs from 0. `like` is a
// column of the same length.
inline void PushOptional(std::vector<int32_t>& column, size_t size,
                         int32_t value, const std::vector<StringId>& like) {
  if (column.empty() && value == 0) return;
  if (column.size() < size) {
    column.reserve(like.capacity());
    column.resize(size, 0);
  }
  column.push_back(value);
}

// Frees memory that was reserved but not used, if it is much.
template <typename T>
void Trim(std::vector<T>& column) {
  if (column.capacity() - column.size() > column.size() / 4) {
    column.shrink_to_fit();
  }
}

}  // namespace

void ProfileBuilder::AddEdge(StringId source, int32_t position,
                             int32_t seen_output, int32_t output) {
  NodeTable& nodes = mutable_graph().nodes;
  const size_t edge = nodes.edge_source.size();
  const size_t first = nodes.edge_begin[nodes.size() - 1];
  nodes.edge_source.push_back(source);
  ++nodes.edge_begin.back();
  PushOptional(nodes.edge_seen_output, edge, seen_output, nodes.edge_source);
  PushOptional(nodes.edge_output, edge, output, nodes.edge_source);
  if (!nodes.edge_position.empty()) {
    nodes.edge_position.push_back(position);
  } else if (position != static_cast<int32_t>(edge - first)) {
    // The first edge out of order: from now on the column is needed.
    nodes.edge_position.reserve(edge + 1);
    for (NodeId n = 0; n < nodes.size(); ++n) {
      for (size_t e = nodes.edge_begin[n]; e < nodes.edge_begin[n + 1]; ++e) {
        nodes.edge_position.push_back(
            static_cast<int32_t>(e - nodes.edge_begin[n]));
      }
    }
    nodes.edge_position.back() = position;
  }
}

void ProfileBuilder::AddOutputShape(int32_t index, ShapeId shape) {
  NodeTable& nodes = mutable_graph().nodes;
  nodes.output_shape.push_back({index, shape});
  ++nodes.shape_begin.back();
}

void ProfileBuilder::SetFloatOps(NodeId n, int64_t float_ops) {
  NodeTable& nodes = mutable_graph().nodes;
  if (nodes.float_ops.empty()) nodes.float_ops.resize(nodes.size(), 0);
  nodes.float_ops[n] = float_ops;
}

void ProfileBuilder::SetRanElsewhere(NodeId n) { ran_elsewhere_.push_back(n); }

void ProfileBuilder::SetDevice(NodeId n, DeviceId device) {
  mutable_graph().nodes.device[n] = device;
  AddDeviceType(n);
}

void ProfileBuilder::AddDeviceType(NodeId n) {
  GraphTables& graph = mutable_graph();
  const DeviceId device = graph.nodes.device[n];
  TypeSetId& types = graph.nodes.types[n];
  // Most nodes have one of few ops, and there is mostly one device.
  if (types >= with_device_.size()) {
    with_device_.resize(graph.type_sets.size(), {kNone, kNoTypes});
  }
  auto& [known_device, with_device] = with_device_[types];
  if (known_device != device) {
    const StringId type = graph.strings.Intern(graph.devices.name(device));
    known_device = device;
    with_device = graph.type_sets.Add(types, type, graph.strings);
  }
  types = with_device;
}

namespace {

void DropWithoutLane(LaneExecutions& executions) {
  std::vector<ExecutionRecord>& records = executions.records;
  size_t kept = 0;
  for (size_t i = 0; i < records.size(); ++i) {
    if (records[i].lane == kNone) continue;
    if (!executions.self.empty()) executions.self[kept] = executions.self[i];
    records[kept++] = records[i];
  }
  records.resize(kept);
  if (!executions.self.empty()) executions.self.resize(kept);
}

}  // namespace

// The records are divided by their nodes: each part has all records of its
// nodes, in their order, and no two parts write to the same place. Each part
// walks all records, which is cheap: it reads 4 of 64 bytes of each.
int64_t ProfileBuilder::AddExecutions(
    int64_t step, std::vector<LaneExecutions> executions,
    const std::function<void(const ExecutionRecord&)>& no_start,
    std::span<Coverage> coverage) {
  PendingStep& pending = pending_[step];
  pending.listed |= step != kOutsideSteps;
  // If all nodes of the step have their devices, the graph stays shared.
  const bool places = rules_->PlacesNodes(graph(), executions);
  std::vector<DeviceId>* device_of_node =
      places ? &mutable_graph().nodes.device : nullptr;
  size_t num_records = 0;
  for (const LaneExecutions& e : executions) num_records += e.records.size();
  const size_t parts = NumRanges(work_, num_records);
  const uint64_t num_nodes = graph().nodes.size();
  std::vector<Admission> results(parts);
  ParallelFor(work_, parts, [&](size_t i) {
    results[i] = rules_->Admit(
        {.graph = graph(),
         .batch = executions,
         .nodes = {static_cast<NodeId>(num_nodes * i / parts),
                   static_cast<NodeId>(num_nodes * (i + 1) / parts)},
         .device_of_node = device_of_node,
         .wants_no_start = no_start != nullptr,
         .coverage = coverage});
  });

  Admission all;
  for (Admission& result : results) {
    for (const NodeId n : result.placed) AddDeviceType(n);
    std::move(result.outside.begin(), result.outside.end(),
              std::back_inserter(all.outside));
    all.no_start.insert(all.no_start.end(), result.no_start.begin(),
                        result.no_start.end());
    all.covered += result.covered;
  }
  std::sort(all.no_start.begin(), all.no_start.end());
  for (const Admission::Position& at : all.no_start) {
    no_start(executions[at.lane].records[at.record]);
  }
  std::sort(all.outside.begin(), all.outside.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [at, execution] : all.outside) {
    pending.outside.push_back({execution, executions[at.lane].ticks_per_micro});
  }
  for (LaneExecutions& e : executions) {
    if (!all.outside.empty()) DropWithoutLane(e);
    pending.batches.push_back(std::move(e));
  }
  return all.covered;
}

void ProfileBuilder::AddExecutions(
    int64_t step, const std::vector<ExecutionRecord>& records,
    const std::function<void(const ExecutionRecord&)>& no_start) {
  std::vector<LaneExecutions> executions;
  for (const ExecutionRecord& r : records) {
    if (executions.empty() || executions.back().lane != r.lane) {
      executions.push_back({.lane = r.lane, .records = {}});
    }
    executions.back().records.push_back(r);
  }
  AddExecutions(step, std::move(executions), no_start);
}

void ProfileBuilder::AddGroups(int64_t step, std::vector<GroupSums> sums,
                               std::vector<ExecutionRecord> records,
                               int64_t ticks_per_micro) {
  pending_[step].given.push_back(
      {std::move(sums),
       {.records = std::move(records), .ticks_per_micro = ticks_per_micro}});
}

void ProfileBuilder::AddOutside(int64_t step, NamedExecution execution,
                                int64_t ticks_per_micro) {
  execution.duration =
      rules_->CountedTicks(execution.duration, ticks_per_micro);
  pending_[step].outside.push_back({execution, ticks_per_micro});
}

void ProfileBuilder::AddEvents(LaneEvents lane,
                               const std::vector<EventRange>& ranges) {
  const auto shared = std::make_shared<const LaneEvents>(std::move(lane));
  for (const EventRange& range : ranges) {
    PendingStep& pending = pending_[range.step];
    pending.listed |= range.has_nodes && range.step != kOutsideSteps;
    pending.events.push_back({shared, range.begin, range.end});
  }
}

namespace {

// One tick becomes `factor` ticks.
template <typename Timed>
void Refine(Timed& timed, int64_t factor) {
  if (timed.has_start()) timed.start = SaturatingMul(timed.start, factor);
  timed.duration = SaturatingMul(timed.duration, factor);
}

void Refine(LaneExecutions& executions, int64_t ticks_per_micro) {
  const int64_t factor = ticks_per_micro / executions.ticks_per_micro;
  if (factor == 1) return;
  for (ExecutionRecord& r : executions.records) Refine(r, factor);
  for (int64_t& self : executions.self) self = SaturatingMul(self, factor);
  executions.ticks_per_micro = ticks_per_micro;
}

}  // namespace

int64_t ProfileBuilder::UnifyTicks(PendingStep& pending) {
  int64_t ticks = 1;  // the fewest in which all are whole
  for (const Given& given : pending.given) {
    ticks = std::lcm(ticks, given.executions.ticks_per_micro);
  }
  for (const LaneExecutions& batch : pending.batches) {
    ticks = std::lcm(ticks, batch.ticks_per_micro);
  }
  for (const auto& [execution, ticks_per_micro] : pending.outside) {
    ticks = std::lcm(ticks, ticks_per_micro);
  }
  // All other ticks are whole picoseconds.
  if (!pending.events.empty()) ticks = LaneEvents::kTicksPerMicro;
  for (Given& given : pending.given) {
    const int64_t factor = ticks / given.executions.ticks_per_micro;
    for (GroupSums& group : given.sums) {
      group.start = SaturatingMul(group.start, factor);
      group.end = SaturatingMul(group.end, factor);
    }
    Refine(given.executions, ticks);
  }
  for (LaneExecutions& batch : pending.batches) Refine(batch, ticks);
  for (auto& [execution, ticks_per_micro] : pending.outside) {
    Refine(execution, ticks / ticks_per_micro);
    ticks_per_micro = ticks;
  }
  return ticks;
}

void ProfileBuilder::Reopen(const Step& step, PendingStep& pending) {
  pending.listed |= step.listed;
  pending.aggregated |= step.aggregated;
  const int64_t ticks_per_micro = step.exec_start.ticks_per_micro();
  const auto start_of = [&](size_t e) {
    return step.HasStart(e) ? step.exec_start.Ticks(e) : kNoStart;
  };
  Given given;
  given.executions.ticks_per_micro = ticks_per_micro;
  given.executions.records.reserve(step.num_executions());
  given.sums.reserve(step.num_groups());
  for (size_t g = 0; g < step.num_groups(); ++g) {
    const auto node = static_cast<NodeId>(step.node[g]);
    given.sums.push_back(step.sums.Of(g));
    given.sums.back().node = node;
    for (size_t e = step.exec_begin(g); e < step.exec_end(g); ++e) {
      given.executions.records.push_back(
          {.node = node,
           .lane = step.LaneOf(e),
           .start = start_of(e),
           .duration = step.exec_duration.Ticks(e),
           .record = static_cast<RecordRef>(step.exec_record[e])});
    }
  }
  pending.given.insert(pending.given.begin(), std::move(given));
  std::vector<std::pair<NamedExecution, int64_t>> outside;
  for (size_t e = step.num_executions(); e < step.num_records(); ++e) {
    outside.push_back({{.name = step.OutsideName(e),
                        .lane = step.LaneOf(e),
                        .start = start_of(e),
                        .duration = step.exec_duration.Ticks(e),
                        .record = static_cast<RecordRef>(step.exec_record[e])},
                       ticks_per_micro});
  }
  pending.outside.insert(pending.outside.begin(), outside.begin(),
                         outside.end());
}

namespace {

// The place of a step, or the place where it has to be inserted.
std::vector<std::shared_ptr<const Step>>::iterator FindStep(
    std::vector<std::shared_ptr<const Step>>& steps, int64_t id) {
  return std::lower_bound(steps.begin(), steps.end(), id,
                          [](const std::shared_ptr<const Step>& step,
                             int64_t id) { return step->id < id; });
}

}  // namespace

std::vector<ProfileBuilder::UnfinishedStep> ProfileBuilder::BeginSteps(
    const std::vector<int64_t>& ids) {
  std::vector<UnfinishedStep> steps;
  for (const int64_t id : ids) {
    const auto it = pending_.find(id);
    if (it == pending_.end()) continue;
    UnfinishedStep& step = steps.emplace_back();
    step.id_ = id;
    step.pending_ = std::move(it->second);
    pending_.erase(it);
    const auto known = FindStep(profile_.steps_, id);
    if (known != profile_.steps_.end() && (*known)->id == id) {
      Reopen(**known, step.pending_);
    }
  }
  return steps;
}

void ProfileBuilder::MakeStep(UnfinishedStep& step, bool parallel) const {
  step.made_ = MakeColumns(step.id_, std::move(step.pending_), parallel);
}

void ProfileBuilder::EndSteps(std::vector<UnfinishedStep> steps) {
  for (UnfinishedStep& step : steps) {
    const auto at = FindStep(profile_.steps_, step.id_);
    if (at != profile_.steps_.end() && (*at)->id == step.id_) {
      if (!work_.cancelled()) RenumberLinks(**at, *step.made_);
      *at = std::move(step.made_);
    } else {
      profile_.steps_.insert(at, std::move(step.made_));
    }
  }
  KeepUnderMaxMemory();
}

void ProfileBuilder::FinishSteps(const std::vector<int64_t>& ids) {
  std::vector<UnfinishedStep> steps = BeginSteps(ids);
  ParallelFor(work_, steps.size(), [&](size_t i) {
    MakeStep(steps[i], /*parallel=*/steps.size() == 1);
  });
  EndSteps(std::move(steps));
}

void ProfileBuilder::KeepUnderMaxMemory() {
  if (max_memory_ == 0) return;
  if (!dropped_executions_) {
    size_t bytes = 0;
    for (const auto& [what, size] : profile_.MemoryUse()) bytes += size;
    dropped_executions_ = bytes > max_memory_;
  }
  if (!dropped_executions_) return;
  for (std::shared_ptr<const Step>& step : profile_.steps_) {
    if (step->aggregated) continue;
    // A copy, because other profiles may share the step.
    auto smaller = std::make_shared<Step>(*step);
    smaller->DropExecutions();
    step = std::move(smaller);
  }
}

namespace {

// What the columns of executions have to hold.
struct ExecutionRanges {
  IntRange lane, start, duration, record;
  bool any_start = false, any_without_start = false;

  template <typename Execution>
  void Add(const Execution& r) {
    lane.Add(r.lane);
    record.Add(static_cast<int64_t>(r.record));
    if (r.has_start()) {
      start.Add(r.start);
      duration.Add(r.duration);
      any_start = true;
    } else {
      duration.Add(0);
      any_without_start = true;
    }
  }
  void Add(const ExecutionRanges& other) {
    lane.Add(other.lane);
    start.Add(other.start);
    duration.Add(other.duration);
    record.Add(other.record);
    any_start |= other.any_start;
    any_without_start |= other.any_without_start;
  }
};

// Writes executions to their places in the columns of a step.
class ExecutionWriter {
 public:
  ExecutionWriter(size_t size, const ExecutionRanges& ranges)
      : any_start_(ranges.start.low),
        lane_(size, ranges.lane),
        // Where all are missing, any value does.
        start_(size, ranges.start.empty()
                         ? IntRange{ranges.start.low, ranges.start.low}
                         : ranges.start),
        duration_(size, ranges.duration),
        has_start_(size, {!ranges.any_without_start, ranges.any_start}),
        record_(size, ranges.record) {}

  template <typename Execution>
  void Set(size_t e, const Execution& r) {
    const bool has_start = r.has_start();
    lane_.Set(e, r.lane);
    start_.Set(e, has_start ? r.start : any_start_);
    duration_.Set(e, has_start ? r.duration : 0);
    has_start_.Set(e, has_start);
    record_.Set(e, static_cast<int64_t>(r.record));
  }

  void Finish(int64_t ticks_per_micro, Step& step) && {
    step.exec_lane = std::move(lane_).Finish();
    step.exec_start = TimeColumn(std::move(start_).Finish(), ticks_per_micro);
    step.exec_duration =
        TimeColumn(std::move(duration_).Finish(), ticks_per_micro);
    step.exec_has_start = std::move(has_start_).Finish();
    step.exec_record = std::move(record_).Finish();
  }

 private:
  int64_t any_start_;
  IntColumnWriter lane_, start_, duration_, has_start_, record_;
};

// An event as an execution.
struct EventExecution {
  LaneId lane;
  int64_t start;
  int64_t duration;
  RecordRef record;
  bool has_start() const { return true; }
};

// Calls call(event, its group, the execution) for those that are not left out.
template <typename Call>
void VisitEvents(const StepEvents& events, Call call) {
  const LaneEvents& lane = *events.lane;
  for (uint32_t i = events.begin; i < events.end; ++i) {
    const LaneEvent& event = lane.events[i];
    const LaneEventGroup& group = lane.groups[event.group];
    if (group.is_left_out()) continue;
    call(i, group,
         EventExecution{group.lane, event.start, event.duration,
                        MakeRecordRef(lane.input, event.offset)});
  }
}

// Tells a loader the places of the events of its links.
class PlaceWriter {
 public:
  PlaceWriter(int64_t step, const StepEvents& events)
      : step_(step), lane_(*events.lane) {
    next_ =
        static_cast<size_t>(std::lower_bound(lane_.linked.begin(),
                                             lane_.linked.end(), events.begin) -
                            lane_.linked.begin());
  }

  // Events ascend.
  void Set(uint32_t event, size_t place) {
    while (next_ < lane_.linked.size() && lane_.linked[next_] < event) ++next_;
    if (next_ == lane_.linked.size() || lane_.linked[next_] != event) return;
    (*lane_.places)[next_++] = {step_, static_cast<uint32_t>(place)};
  }

 private:
  int64_t step_;
  const LaneEvents& lane_;
  size_t next_ = 0;
};

// The columns of groups, except first_exec.
void MakeSums(const std::vector<GroupSums>& sums, int64_t ticks_per_micro,
              Step& step) {
  // Groups without a span must not widen the columns of the others.
  const auto spanned = std::find_if(sums.begin(), sums.end(),
                                    [](const auto& g) { return g.has_span; });
  const int64_t any_start = spanned == sums.end() ? 0 : spanned->start;
  const int64_t any_end = spanned == sums.end() ? 0 : spanned->end;
  StepSums& to = step.sums;
  IntColumn start, end;
  std::tie(step.node, to.run_count, to.accelerator_time, to.cpu_time,
           to.requested_bytes, to.peak_bytes, to.residual_bytes,
           to.output_bytes, to.has_span, start, end) =
      std::tuple_cat(IntColumn::OfRows(
          std::span<const GroupSums>(sums),
          [](const GroupSums& g) { return g.node; },
          [](const GroupSums& g) { return g.run_count; },
          [](const GroupSums& g) { return g.accelerator_time; },
          [](const GroupSums& g) { return g.cpu_time; },
          [](const GroupSums& g) { return g.requested_bytes; },
          [](const GroupSums& g) { return g.peak_bytes; },
          [](const GroupSums& g) { return g.residual_bytes; },
          [](const GroupSums& g) { return g.output_bytes; },
          [](const GroupSums& g) { return g.has_span; },
          [=](const GroupSums& g) { return g.has_span ? g.start : any_start; },
          [=](const GroupSums& g) { return g.has_span ? g.end : any_end; }));
  to.start = TimeColumn(std::move(start), ticks_per_micro);
  to.end = TimeColumn(std::move(end), ticks_per_micro);
}

}  // namespace

std::shared_ptr<const Step> ProfileBuilder::MakeColumns(int64_t id,
                                                        PendingStep pending,
                                                        bool parallel) const {
  const GraphTables& graph = *profile_.graph_;
  auto step = std::make_shared<Step>();
  step->id = id;
  step->listed = pending.listed;
  if (pending.batches.empty() && pending.given.empty() &&
      pending.outside.empty() && pending.events.empty()) {
    return step;  // a file may list a million steps in which nothing ran
  }
  const std::shared_ptr<const Step> cancelled = step;
  if (work_.cancelled()) return cancelled;
  step = std::make_shared<Step>(*step);
  const int64_t ticks_per_micro = UnifyTicks(pending);

  // Sort by node, keeping the order within a node: first what was given (it
  // was loaded before), then the new records. Counting, because a sort of ten
  // million records by node costs more than reading them. In parts, as above.
  std::vector<std::span<const ExecutionRecord>> lists;
  for (const Given& given : pending.given) {
    lists.push_back(given.executions.records);
  }
  for (const LaneExecutions& batch : pending.batches) {
    lists.push_back(batch.records);
  }
  size_t most_executions = 0;
  for (const auto& records : lists) most_executions += records.size();
  for (const StepEvents& events : pending.events) {
    most_executions += events.end - events.begin;
  }
  const size_t num_nodes = graph.nodes.size();
  const size_t num_parts = parallel ? NumRanges(work_, most_executions) : 1;
  std::vector<uint32_t> begin(num_nodes + 1, 0);
  std::vector<ExecutionRanges> ranges(num_parts);
  size_t num_outside = pending.outside.size();
  ParallelFor(work_, num_parts, [&](size_t i) {
    const NodeRange range = {
        static_cast<NodeId>(num_nodes * i / num_parts),
        static_cast<NodeId>(num_nodes * (i + 1) / num_parts)};
    ExecutionRanges found;
    for (const auto& records : lists) {
      for (const ExecutionRecord& r : records) {
        if (!range.Has(r.node)) continue;
        ++begin[r.node + 1];
        found.Add(r);
      }
    }
    size_t outside = 0;
    for (const StepEvents& events : pending.events) {
      if (work_.cancelled()) return;
      VisitEvents(events, [&](uint32_t, const LaneEventGroup& group,
                              const EventExecution& r) {
        if (group.node == kNone ? i != 0 : !range.Has(group.node)) return;
        found.Add(r);
        if (group.node == kNone) {
          ++outside;
        } else {
          ++begin[group.node + 1];
        }
      });
    }
    if (i == 0) num_outside += outside;
    ranges[i] = found;
  });
  if (work_.cancelled()) return cancelled;
  const size_t num_executions =
      std::accumulate(begin.begin(), begin.end(), size_t{0});
  const size_t num_records = num_executions + num_outside;
  std::vector<int64_t> first_exec;
  std::vector<GroupSums> sums;
  std::vector<uint32_t> group_of(num_nodes, kNone);
  // Groups whose executions were dropped have none.
  constexpr uint32_t kHasSums = kNone - 1;
  for (const Given& given : pending.given) {
    for (const GroupSums& group : given.sums) group_of[group.node] = kHasSums;
  }
  for (size_t n = 0; n < num_nodes; ++n) {
    if (begin[n + 1] != 0 || group_of[n] == kHasSums) {
      group_of[n] = static_cast<uint32_t>(sums.size());
      sums.push_back({.node = static_cast<NodeId>(n)});
      first_exec.push_back(begin[n]);
    }
    begin[n + 1] += begin[n];
  }
  first_exec.push_back(static_cast<int64_t>(num_executions));

  // Parts with about the same number of executions.
  std::vector<NodeRange> parts;
  for (size_t i = 0; i < num_parts; ++i) {
    const auto cut = std::lower_bound(begin.begin(), begin.end() - 1,
                                      num_executions * (i + 1) / num_parts);
    const auto end = i + 1 == num_parts
                         ? static_cast<NodeId>(num_nodes)
                         : static_cast<NodeId>(cut - begin.begin());
    parts.push_back({parts.empty() ? 0 : parts.back().end, end});
  }
  for (const Given& given : pending.given) {
    for (const GroupSums& group : given.sums) {
      sums[group_of[group.node]].Add(group);
    }
  }
  rules_->Sum({.graph = graph,
               .work = work_,
               .batches = pending.batches,
               .events = pending.events,
               .group_of_node = group_of,
               .parts = parts},
              sums);
  if (work_.cancelled()) return cancelled;

  for (size_t i = 1; i < num_parts; ++i) ranges[0].Add(ranges[i]);
  for (const auto& [execution, tick] : pending.outside) {
    ranges[0].Add(execution);
  }
  ExecutionWriter writer(num_records, ranges[0]);
  std::vector<int64_t> name;
  for (const auto& [execution, tick] : pending.outside) {
    writer.Set(num_executions + name.size(), execution);
    name.push_back(execution.name);
  }
  ParallelFor(work_, num_parts, [&](size_t i) {
    for (const auto& records : lists) {
      for (const ExecutionRecord& r : records) {
        if (parts[i].Has(r.node)) writer.Set(begin[r.node]++, r);
      }
    }
    for (const StepEvents& events : pending.events) {
      if (work_.cancelled()) return;
      PlaceWriter places(id, events);
      VisitEvents(events, [&](uint32_t event, const LaneEventGroup& group,
                              const EventExecution& r) {
        if (group.node == kNone ? i != 0 : !parts[i].Has(group.node)) return;
        size_t place;
        if (group.node == kNone) {
          place = num_executions + name.size();
          name.push_back(group.name);
        } else {
          place = begin[group.node]++;
        }
        writer.Set(place, r);
        places.Set(event, place);
      });
    }
  });
  if (work_.cancelled()) return cancelled;
  const bool aggregated = pending.aggregated;
  lists = {};
  pending = {};
  std::move(writer).Finish(ticks_per_micro, *step);
  MakeSums(sums, ticks_per_micro, *step);
  step->outside_name = IntColumn(name);
  step->first_exec = IntColumn(first_exec);
  if (aggregated || dropped_executions_) step->DropExecutions();
  return step;
}

void ProfileBuilder::TrimGraph() {
  GraphTables& graph = mutable_graph();
  graph.strings.Trim();
  NodeTable& nodes = graph.nodes;
  Trim(nodes.name);
  Trim(nodes.op);
  Trim(nodes.types);
  Trim(nodes.parameter_shape);
  Trim(nodes.device);
  Trim(nodes.stack);
  Trim(nodes.record);
  Trim(nodes.edge_begin);
  Trim(nodes.edge_source);
  Trim(nodes.edge_seen_output);
  Trim(nodes.edge_output);
  Trim(nodes.shape_begin);
  Trim(nodes.output_shape);
  Trim(nodes.by_name);
}

Profile ProfileBuilder::Build() && {
  std::vector<int64_t> unfinished;
  for (const auto& [id, pending] : pending_) unfinished.push_back(id);
  FinishSteps(unfinished);
  if (!new_types_.empty()) {
    GraphTables& graph = mutable_graph();
    std::stable_sort(
        new_types_.begin(), new_types_.end(),
        [](const auto& a, const auto& b) { return a.first < b.first; });
    for (size_t i = 0; i < new_types_.size();) {
      const NodeId n = new_types_[i].first;
      std::vector<StringId> types;
      for (; i < new_types_.size() && new_types_[i].first == n; ++i) {
        types.push_back(new_types_[i].second);
      }
      TypeSetId& set = graph.nodes.types[n];
      set = types.size() == 1
                ? graph.type_sets.Add(set, types[0], graph.strings)
                : graph.type_sets.AddAll(set, std::move(types), graph.strings);
    }
    new_types_.clear();
  }
  if (!ran_elsewhere_.empty()) {
    auto ran =
        profile_.ran_elsewhere_ == nullptr
            ? std::make_shared<std::vector<bool>>()
            : std::make_shared<std::vector<bool>>(*profile_.ran_elsewhere_);
    ran->resize(graph().nodes.size(), false);
    for (const NodeId n : ran_elsewhere_) (*ran)[n] = true;
    profile_.ran_elsewhere_ = std::move(ran);
  }
  FinishTables();
  if (!shared_graph_) TrimGraph();
  return std::move(profile_);
}

}  // namespace tfprof
