#include "profile/profile_builder.h"

#include <algorithm>
#include <iterator>
#include <string>

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

// Appends to a column that exists only once a value differs from the usual.
// `like`: a column of the same length.
inline void PushOptional(std::vector<int32_t>& column, size_t size,
                         int32_t value, const std::vector<StringId>& like) {
  if (column.empty() && value == 0) return;
  if (column.size() < size) {
    column.reserve(like.capacity());
    column.resize(size, 0);
  }
  column.push_back(value);
}

// Gives back what was reserved by guess, if it is much.
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
    // The first edge out of order: from now on positions are written down.
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
  // Most nodes are of few ops, and on one device.
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

// Where a record stands in what was added, to restore that order.
struct Position {
  size_t device;
  size_t record;
  friend auto operator<=>(const Position&, const Position&) = default;
};

}  // namespace

// Records are shared out by their nodes, so that each part has all records of
// its nodes, in their order, and no two parts write to the same place. Each
// part walks all records, which is cheap: it reads the node of one in 64 bytes.
struct ProfileBuilder::NodeRange {
  NodeId begin, end;
  bool Has(NodeId n) const { return n - begin < end - begin; }
};

struct ProfileBuilder::RangeResult {
  std::vector<NodeId> homed;  // nodes that have a device now, ascending
  std::vector<std::pair<Position, Step::Unaccounted>> unaccounted;
  std::vector<Position> no_start;
  int64_t covered = 0;
};

ProfileBuilder::RangeResult ProfileBuilder::AccountRange(
    std::span<DeviceExecutions> executions, NodeRange range, bool wants_start,
    std::span<Coverage> coverage) {
  const DeviceTable& devices = graph().devices;
  const std::vector<DeviceId>& home_of = graph().nodes.device;
  RangeResult result;
  std::vector<bool> homed(range.end - range.begin, false);
  for (size_t d = 0; d < executions.size(); ++d) {
    const DeviceId device = executions[d].device;
    const bool canonical = devices[device].canonical;
    // To the reference, a node that has no device yet is at home on the device
    // without a name.
    const bool nameless = devices.name(device).empty();
    std::vector<ExecutionRecord>& records = executions[d].records;
    for (size_t i = 0; i < records.size(); ++i) {
      ExecutionRecord& r = records[i];
      if (!range.Has(r.node)) continue;
      r.device = device;
      if (!coverage.empty() && coverage[r.node] != Coverage::kCovered) {
        const bool made = coverage[r.node] == Coverage::kMade;
        coverage[r.node] = made ? Coverage::kNone : Coverage::kCovered;
        result.covered += !made;
      }
      DeviceId home = home_of[r.node];
      if (canonical && home == kNone) {
        home = mutable_graph().nodes.device[r.node] = device;
        homed[r.node - range.begin] = true;
      } else if (canonical && home != device) {
        result.unaccounted.push_back({{d, i},
                                      {graph().nodes.name[r.node], device,
                                       r.start, r.duration, r.record}});
        r.device = kNone;  // dropped below
        continue;
      }
      // Memory counts where the node is at home.
      const bool at_home = home != kNone ? device == home : nameless;
      if (at_home) {
        if (r.start <= 0 && wants_start) result.no_start.push_back({d, i});
      } else {
        r.requested_bytes = r.peak_bytes = 0;
        r.residual_bytes = r.output_bytes = 0;
      }
    }
  }
  for (NodeId n = range.begin; n < range.end; ++n) {
    if (homed[n - range.begin]) result.homed.push_back(n);
  }
  return result;
}

bool ProfileBuilder::GivesHome(
    std::span<const DeviceExecutions> executions) const {
  for (const DeviceExecutions& e : executions) {
    if (!graph().devices[e.device].canonical) continue;
    for (const ExecutionRecord& r : e.records) {
      if (graph().nodes.device[r.node] == kNone) return true;
    }
  }
  return false;
}

int64_t ProfileBuilder::AddExecutions(
    int64_t step, std::vector<DeviceExecutions> executions,
    const std::function<void(const ExecutionRecord&)>& no_start,
    std::span<Coverage> coverage) {
  PendingStep& pending = pending_[step];
  pending.listed = true;
  // A step of nodes that are at home already shares the graph.
  if (shared_graph_ && GivesHome(executions)) CopySharedGraph();
  size_t num_records = 0;
  for (const DeviceExecutions& e : executions) num_records += e.records.size();
  const size_t parts = NumRanges(num_records);
  const uint64_t num_nodes = graph().nodes.size();
  std::vector<RangeResult> results(parts);
  ParallelFor(parts, [&](size_t i) {
    results[i] =
        AccountRange(executions,
                     {static_cast<NodeId>(num_nodes * i / parts),
                      static_cast<NodeId>(num_nodes * (i + 1) / parts)},
                     no_start != nullptr, coverage);
  });

  RangeResult all;
  for (RangeResult& result : results) {
    for (const NodeId n : result.homed) AddDeviceType(n);
    std::move(result.unaccounted.begin(), result.unaccounted.end(),
              std::back_inserter(all.unaccounted));
    all.no_start.insert(all.no_start.end(), result.no_start.begin(),
                        result.no_start.end());
    all.covered += result.covered;
  }
  std::sort(all.no_start.begin(), all.no_start.end());
  for (const Position& at : all.no_start) {
    no_start(executions[at.device].records[at.record]);
  }
  std::sort(all.unaccounted.begin(), all.unaccounted.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [at, execution] : all.unaccounted) {
    pending.unaccounted.push_back(execution);
  }
  for (DeviceExecutions& e : executions) {
    if (!all.unaccounted.empty()) {
      std::erase_if(e.records,
                    [](const ExecutionRecord& r) { return r.device == kNone; });
    }
    pending.records.push_back(std::move(e.records));
  }
  return all.covered;
}

void ProfileBuilder::AddExecutions(
    int64_t step, const std::vector<ExecutionRecord>& records,
    const std::function<void(const ExecutionRecord&)>& no_start) {
  std::vector<DeviceExecutions> executions;
  for (const ExecutionRecord& r : records) {
    if (executions.empty() || executions.back().device != r.device) {
      executions.push_back({r.device, {}});
    }
    executions.back().records.push_back(r);
  }
  AddExecutions(step, std::move(executions), no_start);
}

void ProfileBuilder::AddGroups(int64_t step, std::vector<GroupTotals> totals,
                               std::vector<ExecutionRecord> records) {
  PendingStep& pending = pending_[step];
  if (pending.totals.empty() && pending.given.empty()) {
    pending.totals = std::move(totals);
    pending.given = std::move(records);
    return;
  }
  pending.totals.insert(pending.totals.end(), totals.begin(), totals.end());
  pending.given.insert(pending.given.end(), records.begin(), records.end());
}

void ProfileBuilder::Reopen(const Step& step, PendingStep& pending) const {
  pending.listed |= step.listed;
  pending.aggregated |= step.aggregated;
  std::vector<ExecutionRecord> given;
  given.reserve(step.num_executions());
  for (size_t g = 0; g < step.num_groups(); ++g) {
    const auto node = static_cast<NodeId>(step.node[g]);
    pending.totals.push_back({.node = node,
                              .run_count = step.run_count[g],
                              .accelerator_micros = step.accelerator_micros[g],
                              .cpu_micros = step.cpu_micros[g],
                              .requested_bytes = step.requested_bytes[g],
                              .peak_bytes = step.peak_bytes[g],
                              .residual_bytes = step.residual_bytes[g],
                              .output_bytes = step.output_bytes[g],
                              .start = step.start[g],
                              .end = step.end[g]});
    for (size_t e = step.exec_begin(g); e < step.exec_end(g); ++e) {
      given.push_back({.node = node,
                       .device = static_cast<DeviceId>(step.exec_device[e]),
                       .start = step.exec_start[e],
                       .duration = step.exec_duration[e],
                       .record = static_cast<RecordRef>(step.exec_record[e])});
    }
  }
  given.insert(given.end(), pending.given.begin(), pending.given.end());
  pending.given = std::move(given);
  pending.unaccounted.insert(pending.unaccounted.begin(),
                             step.unaccounted.begin(), step.unaccounted.end());
}

namespace {

// Where a step of this id is, or belongs.
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
      RenumberLinks(**at, *step.made_);
      *at = std::move(step.made_);
    } else {
      profile_.steps_.insert(at, std::move(step.made_));
    }
  }
  KeepUnderMaxMemory();
}

void ProfileBuilder::FinishSteps(const std::vector<int64_t>& ids) {
  std::vector<UnfinishedStep> steps = BeginSteps(ids);
  ParallelFor(steps.size(), [&](size_t i) {
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
    // A copy, because a step of a base profile is somebody else's too.
    auto smaller = std::make_shared<Step>(*step);
    smaller->DropExecutions();
    step = std::move(smaller);
  }
}

namespace {

// The sums of each group, while a step is made.
struct Sums {
  explicit Sums(size_t groups) {
    for (std::vector<int64_t>* column : All()) column->resize(groups, 0);
  }
  std::vector<std::vector<int64_t>*> All() {
    return {&run_count, &accelerator, &cpu,   &requested, &peak,
            &residual,  &output,      &start, &end};
  }
  std::vector<int64_t> run_count, accelerator, cpu, requested, peak, residual,
      output, start, end;
};

void AddTo(int64_t& sum, int64_t value) { sum = WrapAdd(sum, value); }

void AddSpan(Sums& sums, size_t g, int64_t start, int64_t end) {
  if (start == 0) return;
  if (sums.start[g] == 0 || start < sums.start[g]) sums.start[g] = start;
  sums.end[g] = std::max(sums.end[g], end);
}

}  // namespace

std::shared_ptr<const Step> ProfileBuilder::MakeColumns(int64_t id,
                                                        PendingStep pending,
                                                        bool parallel) const {
  const GraphTables& graph = *profile_.graph_;
  auto step = std::make_shared<Step>();
  step->id = id;
  step->listed = pending.listed;
  step->unaccounted = std::move(pending.unaccounted);
  step->unaccounted.shrink_to_fit();
  if (pending.records.empty() && pending.given.empty() &&
      pending.totals.empty()) {
    return step;  // a file may list a million steps in which nothing ran
  }

  // Sort by node, keeping the order within a node: first what was given (it
  // was loaded before), then the new records. Counting, because a sort of ten
  // million records by node costs more than reading them. In parts, as above.
  pending.records.insert(pending.records.begin(), std::move(pending.given));
  const std::vector<ExecutionRecord>* given = &pending.records.front();
  size_t num_executions = 0;
  for (const auto& records : pending.records) num_executions += records.size();
  const size_t num_nodes = graph.nodes.size();
  const size_t parts = parallel ? NumRanges(num_executions) : 1;
  std::vector<uint32_t> begin(num_nodes + 1, 0);
  ParallelFor(parts, [&](size_t i) {
    const NodeRange range = {static_cast<NodeId>(num_nodes * i / parts),
                             static_cast<NodeId>(num_nodes * (i + 1) / parts)};
    for (const auto& records : pending.records) {
      for (const ExecutionRecord& r : records) {
        if (range.Has(r.node)) ++begin[r.node + 1];
      }
    }
  });
  std::vector<int64_t> nodes, first_exec;
  std::vector<uint32_t> group_of(num_nodes, kNone);
  // Groups whose executions were dropped have none.
  constexpr uint32_t kHasTotals = kNone - 1;
  for (const GroupTotals& t : pending.totals) group_of[t.node] = kHasTotals;
  for (size_t n = 0; n < num_nodes; ++n) {
    if (begin[n + 1] != 0 || group_of[n] == kHasTotals) {
      group_of[n] = static_cast<uint32_t>(nodes.size());
      nodes.push_back(static_cast<int64_t>(n));
      first_exec.push_back(begin[n]);
    }
    begin[n + 1] += begin[n];
  }
  first_exec.push_back(static_cast<int64_t>(num_executions));

  Sums sums(nodes.size());
  std::vector<int64_t> device(num_executions), start(num_executions),
      duration(num_executions), record(num_executions);
  const auto account = [&](NodeRange range) {
    for (const auto& records : pending.records) {
      const bool in_totals = &records == given;
      for (const ExecutionRecord& r : records) {
        if (!range.Has(r.node)) continue;
        const size_t e = begin[r.node]++;
        device[e] = r.device;
        start[e] = r.start > 0 ? r.start : 0;
        duration[e] = r.start > 0 ? r.duration : 0;
        record[e] = static_cast<int64_t>(r.record);
        if (in_totals || r.start <= 0) continue;
        const size_t g = group_of[r.node];
        AddSpan(sums, g, r.start, WrapAdd(r.start, r.duration));
        const Device& d = graph.devices[r.device];
        if (d.accelerator_stream) {
          AddTo(sums.accelerator[g], r.duration);
        } else if (d.canonical) {
          AddTo(sums.cpu[g], r.duration);
          ++sums.run_count[g];
        }
        AddTo(sums.requested[g], r.requested_bytes);
        AddTo(sums.peak[g], r.peak_bytes);
        AddTo(sums.residual[g], r.residual_bytes);
        AddTo(sums.output[g], r.output_bytes);
      }
    }
  };
  // With as many executions each.
  std::vector<NodeId> cuts = {0};
  for (size_t i = 1; i < parts; ++i) {
    const auto cut = std::lower_bound(begin.begin(), begin.end() - 1,
                                      num_executions * i / parts);
    cuts.push_back(static_cast<NodeId>(cut - begin.begin()));
  }
  cuts.push_back(static_cast<NodeId>(num_nodes));
  ParallelFor(parts, [&](size_t i) { account({cuts[i], cuts[i + 1]}); });
  pending.records = {};
  for (const GroupTotals& t : pending.totals) {
    const size_t g = group_of[t.node];
    AddTo(sums.run_count[g], t.run_count);
    AddTo(sums.accelerator[g], t.accelerator_micros);
    AddTo(sums.cpu[g], t.cpu_micros);
    AddTo(sums.requested[g], t.requested_bytes);
    AddTo(sums.peak[g], t.peak_bytes);
    AddTo(sums.residual[g], t.residual_bytes);
    AddTo(sums.output[g], t.output_bytes);
    AddSpan(sums, g, t.start, t.end);
  }

  const std::pair<IntColumn*, const std::vector<int64_t>*> columns[] = {
      {&step->node, &nodes},
      {&step->first_exec, &first_exec},
      {&step->run_count, &sums.run_count},
      {&step->accelerator_micros, &sums.accelerator},
      {&step->cpu_micros, &sums.cpu},
      {&step->requested_bytes, &sums.requested},
      {&step->peak_bytes, &sums.peak},
      {&step->residual_bytes, &sums.residual},
      {&step->output_bytes, &sums.output},
      {&step->start, &sums.start},
      {&step->end, &sums.end},
      {&step->exec_device, &device},
      {&step->exec_start, &start},
      {&step->exec_duration, &duration},
      {&step->exec_record, &record}};
  const auto fill = [&](size_t i) {
    *columns[i].first = IntColumn(*columns[i].second);
  };
  if (parallel) {
    ParallelFor(std::size(columns), fill);
  } else {
    for (size_t i = 0; i < std::size(columns); ++i) fill(i);
  }
  if (pending.aggregated || dropped_executions_) step->DropExecutions();
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
