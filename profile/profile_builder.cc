#include "profile/profile_builder.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <numeric>
#include <span>
#include <utility>

#include "profile/steps/step_columns.h"
#include "util/run/threads.h"

namespace tfprof::profile {

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
  if (!nodes.same_texts.empty()) nodes.same_texts.push_back(0);
  nodes.edge_begin.push_back(static_cast<uint32_t>(nodes.edge_source.size()));
  nodes.shape_begin.push_back(static_cast<uint32_t>(nodes.output_shape.size()));
  return n;
}

NodeId ProfileBuilder::AddNode(ModuleId module, std::string_view name,
                               std::string_view op, RecordRef record) {
  StringPool& strings = mutable_graph().strings;
  const StringId name_id = strings.Intern(name);
  if (graph().nodes.FindInModule(module, name_id) != kNone) return kNone;
  return AddNode(module, name_id, strings.Intern(op), record);
}

NodeId ProfileBuilder::AddNode(ModuleId module, StringId name, StringId op,
                               RecordRef record) {
  if (module == kUnnamedModule) return AddNode(name, op, record);
  NodeTable& nodes = mutable_graph().nodes;
  const auto n = static_cast<NodeId>(nodes.size());
  if (!nodes.in_module.try_emplace({module, name}, n).second) return kNone;
  AppendNode(name, op, record);
  nodes.module.resize(nodes.size(), kUnnamedModule);
  nodes.module[n] = module;
  return n;
}

namespace {

// Appends to a column that stays empty while all values are 0. `like` is a
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

// Frees reserved memory if a large part of it is unused.
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
    // This is the first edge out of order, so the column is needed from now on.
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
  // Most nodes have one of a few ops, and there is usually one device, so a
  // cache of the last result per type set is enough.
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
// nodes, in order, and no two parts write to the same place. Each part scans
// all records, which is cheap because it reads only 4 of their 64 bytes.
int64_t ProfileBuilder::AddExecutions(
    int64_t step, std::vector<LaneExecutions> executions,
    const std::function<void(const ExecutionRecord&)>& no_start,
    std::span<Coverage> coverage) {
  PendingStep& pending = pending_[step];
  pending.listed |= step != kOutsideSteps;
  // Keep sharing the graph if no node of the step gets a device.
  const bool places = rules_->PlacesNodes(graph(), executions);
  std::vector<DeviceId>* device_of_node =
      places ? &mutable_graph().nodes.device : nullptr;
  size_t num_records = 0;
  for (const LaneExecutions& e : executions) num_records += e.records.size();
  const size_t parts = util::NumRanges(work_, num_records);
  const uint64_t num_nodes = graph().nodes.size();
  std::vector<Admission> results(parts);
  util::ParallelFor(work_, parts, [&](size_t i) {
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

// Divides each tick into `factor` ticks.
template <typename Timed>
void Refine(Timed& timed, int64_t factor) {
  if (timed.has_start()) timed.start = util::SaturatingMul(timed.start, factor);
  timed.duration = util::SaturatingMul(timed.duration, factor);
}

void Refine(LaneExecutions& executions, int64_t ticks_per_micro) {
  const int64_t factor = ticks_per_micro / executions.ticks_per_micro;
  if (factor == 1) return;
  for (ExecutionRecord& r : executions.records) Refine(r, factor);
  for (int64_t& self : executions.self)
    self = util::SaturatingMul(self, factor);
  executions.ticks_per_micro = ticks_per_micro;
}

}  // namespace

int64_t ProfileBuilder::UnifyTicks(PendingStep& pending) {
  int64_t ticks = 1;  // smallest number that makes all times whole
  for (const Given& given : pending.given) {
    ticks = std::lcm(ticks, given.executions.ticks_per_micro);
  }
  for (const LaneExecutions& batch : pending.batches) {
    ticks = std::lcm(ticks, batch.ticks_per_micro);
  }
  for (const auto& [execution, ticks_per_micro] : pending.outside) {
    ticks = std::lcm(ticks, ticks_per_micro);
  }
  // All other ticks are whole numbers of picoseconds.
  if (!pending.events.empty()) ticks = LaneEvents::kTicksPerMicro;
  for (Given& given : pending.given) {
    const int64_t factor = ticks / given.executions.ticks_per_micro;
    for (GroupSums& group : given.sums) {
      group.start = util::SaturatingMul(group.start, factor);
      group.end = util::SaturatingMul(group.end, factor);
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

// Returns the position of a step, or the position at which to insert it.
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
  util::ParallelFor(work_, steps.size(), [&](size_t i) {
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
    // Make a copy, because other profiles may share the step.
    auto smaller = std::make_shared<Step>(*step);
    smaller->DropExecutions();
    step = std::move(smaller);
  }
}

std::shared_ptr<const Step> ProfileBuilder::MakeColumns(int64_t id,
                                                        PendingStep pending,
                                                        bool parallel) const {
  auto step = std::make_shared<Step>();
  step->id = id;
  step->listed = pending.listed;
  if (pending.batches.empty() && pending.given.empty() &&
      pending.outside.empty() && pending.events.empty()) {
    return step;  // a file may list a million empty steps
  }
  if (work_.cancelled()) return step;
  const int64_t ticks_per_micro = UnifyTicks(pending);
  std::vector<std::span<const ExecutionRecord>> records;
  std::vector<std::span<const GroupSums>> known_sums;
  for (const Given& given : pending.given) {
    records.push_back(given.executions.records);
    known_sums.push_back(given.sums);
  }
  for (const LaneExecutions& batch : pending.batches) {
    records.push_back(batch.records);
  }
  StepColumns columns({.id = id,
                       .graph = graph(),
                       .rules = *rules_,
                       .records = records,
                       .known_sums = known_sums,
                       .batches = pending.batches,
                       .outside = pending.outside,
                       .events = pending.events},
                      work_, parallel);
  if (!columns.Fill()) return step;
  const bool aggregated = pending.aggregated;
  pending = {};  // free it before packing the columns, which needs memory too
  std::move(columns).MoveTo(ticks_per_micro, *step);
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

void ProfileBuilder::FinishAllSteps() {
  std::vector<int64_t> unfinished;
  for (const auto& [id, pending] : pending_) unfinished.push_back(id);
  FinishSteps(unfinished);
}

Profile ProfileBuilder::Build() && {
  FinishAllSteps();
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

}  // namespace tfprof::profile
