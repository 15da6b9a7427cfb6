#include "profile/profile.h"

#include <algorithm>
#include <utility>

namespace tfprof::profile {
namespace {

constexpr RecordRef kOffsetMask = (RecordRef{1} << kOffsetBits) - 1;

template <typename T>
size_t Bytes(const std::vector<T>& v) {
  return v.capacity() * sizeof(T);
}

// Compares steps with step numbers.
struct ById {
  bool operator()(const std::shared_ptr<const Step>& step, int64_t id) const {
    return step->id < id;
  }
  bool operator()(int64_t id, const std::shared_ptr<const Step>& step) const {
    return id < step->id;
  }
};

}  // namespace

size_t NodeTable::bytes() const {
  return Bytes(name) + Bytes(op) + Bytes(types) + Bytes(parameter_shape) +
         Bytes(device) + Bytes(stack) + Bytes(float_ops) + Bytes(record) +
         Bytes(edge_begin) + Bytes(edge_source) + Bytes(edge_seen_output) +
         Bytes(edge_output) + Bytes(edge_position) + Bytes(shape_begin) +
         Bytes(output_shape) + Bytes(by_name) + Bytes(module) + Bytes(scope) +
         Bytes(forward_of) + Bytes(label) + Bytes(same_texts) +
         in_module.capacity() * (sizeof(*in_module.begin()) + 1);
}

size_t Step::bytes() const {
  return node.bytes() + first_exec.bytes() + sums.bytes() + exec_lane.bytes() +
         exec_start.bytes() + exec_duration.bytes() + exec_has_start.bytes() +
         exec_record.bytes() + outside_name.bytes();
}

void Step::DropExecutions() {
  aggregated = true;
  first_exec = IntColumn::Repeat(num_groups() + 1, 0);
  exec_lane = IntColumn();
  exec_start = TimeColumn({}, exec_start.ticks_per_micro());
  exec_duration = TimeColumn({}, exec_duration.ticks_per_micro());
  exec_has_start = IntColumn();
  exec_record = IntColumn();
  outside_name = IntColumn();
}

const Step* Profile::FindStep(int64_t id) const {
  const auto it = std::lower_bound(steps_.begin(), steps_.end(), id,
                                   [](const std::shared_ptr<const Step>& step,
                                      int64_t id) { return step->id < id; });
  const bool found = it != steps_.end() && (*it)->id == id && (*it)->listed;
  return found ? it->get() : nullptr;
}

std::vector<NodeId> Profile::NodesNamed(StringId name) const {
  std::vector<NodeId> found;
  for (ModuleId module = 0; module < graph_->modules.size(); ++module) {
    const NodeId n = nodes().Find(module, name);
    if (n != kNone) found.push_back(n);
  }
  return found;
}

AttributeList Profile::Attributes(NodeId n) const {
  const RecordRef record = nodes().record[n];
  if (record == kNoRecord) return {};
  return inputs_[record >> kOffsetBits]->Attributes(record & kOffsetMask);
}

std::vector<std::string_view> Profile::Inputs(NodeId n) const {
  const RecordRef record = nodes().record[n];
  if (record == kNoRecord) return {};
  return inputs_[record >> kOffsetBits]->Inputs(record & kOffsetMask);
}

RecordText Profile::Text(RecordRef record) const {
  if (record == kNoRecord) return {};
  return inputs_[record >> kOffsetBits]->Text(record & kOffsetMask);
}

std::vector<const Step*> Profile::AveragedSteps() const {
  std::vector<const Step*> steps;
  for (const auto& step : steps_) {
    if (step->listed || !graph_->self_times) steps.push_back(step.get());
  }
  return steps;
}

Transfer Profile::TransferOf(RecordRef record) const {
  if (record == kNoRecord) return {};
  return inputs_[record >> kOffsetBits]->TransferOf(record & kOffsetMask);
}

ArgumentList Profile::Arguments(RecordRef record) const {
  if (record == kNoRecord) return {};
  return inputs_[record >> kOffsetBits]->Arguments(record & kOffsetMask);
}

std::vector<std::pair<std::string_view, RecordRef>> Profile::Functions() const {
  std::vector<std::pair<std::string_view, RecordRef>> functions;
  for (uint32_t input = 0; input < inputs_.size(); ++input) {
    inputs_[input]->VisitFunctions([&](std::string_view name, uint64_t offset) {
      functions.push_back({name, MakeRecordRef(input, offset)});
    });
  }
  return functions;
}

FunctionBody Profile::Function(RecordRef function) const {
  return inputs_[function >> kOffsetBits]->Function(function & kOffsetMask);
}

std::vector<SeenShape> Profile::OutputShapes(RecordRef execution) const {
  if (execution == kNoRecord) return {};
  return inputs_[execution >> kOffsetBits]->OutputShapes(execution &
                                                         kOffsetMask);
}

ExecutionDetail Profile::RecordDetail(RecordRef record, bool on_cpu) const {
  if (record == kNoRecord) return {};
  return inputs_[record >> kOffsetBits]->Execution(record & kOffsetMask,
                                                   on_cpu);
}

bool Profile::IsGroupRecord(RecordRef record) const {
  return record != kNoRecord &&
         inputs_[record >> kOffsetBits]->record_is_group();
}

std::string_view Profile::NodeDef(NodeId n) const {
  const RecordRef record = nodes().record[n];
  if (record == kNoRecord) return {};
  return inputs_[record >> kOffsetBits]->NodeDef(record & kOffsetMask);
}

std::string_view Profile::NodeExecStats(RecordRef record) const {
  if (record == kNoRecord) return {};
  return inputs_[record >> kOffsetBits]->NodeExecStats(record & kOffsetMask);
}

std::vector<std::string_view> Profile::StepStats(const Step& step) const {
  std::vector<bool> seen(inputs_.size(), false);
  for (size_t e = 0; e < step.num_records(); ++e) {
    const auto record = static_cast<RecordRef>(step.exec_record[e]);
    if (record == kNoRecord) return {};
    seen[record >> kOffsetBits] = true;
  }
  std::vector<std::string_view> messages;
  for (size_t input = 0; input < seen.size(); ++input) {
    if (!seen[input]) continue;
    const auto of_input = inputs_[input]->StepStats();
    if (of_input.empty()) return {};
    messages.insert(messages.end(), of_input.begin(), of_input.end());
  }
  return messages;
}

Profile Profile::WithSteps(
    std::vector<std::shared_ptr<const Step>> steps) const {
  Profile profile = *this;
  profile.steps_ = std::move(steps);
  if (profile.steps_.size() == steps_.size()) return profile;
  profile.KeepTablesOfSteps();
  auto ran = ran_elsewhere_ == nullptr
                 ? std::make_shared<std::vector<bool>>()
                 : std::make_shared<std::vector<bool>>(*ran_elsewhere_);
  ran->resize(nodes().size(), false);
  for (const auto& step : steps_) {
    if (std::binary_search(
            profile.steps_.begin(), profile.steps_.end(), step,
            [](const auto& a, const auto& b) { return a->id < b->id; })) {
      continue;
    }
    for (size_t g = 0; g < step->num_groups(); ++g)
      (*ran)[step->node[g]] = true;
  }
  profile.ran_elsewhere_ = std::move(ran);
  return profile;
}

void Profile::KeepTablesOfSteps() {
  const auto has = [&](int64_t step) {
    return std::binary_search(steps_.begin(), steps_.end(), step, ById());
  };
  if (links().size() > 0) {
    std::vector<Link> kept;
    for (size_t i = 0; i < links().size(); ++i) {
      const Link link = links()[i];
      if (has(link.from.step) && has(link.to.step)) kept.push_back(link);
    }
    links_ = std::make_shared<Links>(kept);
  }
  if (step_intervals().size() > 0) {
    std::vector<StepInterval> kept;
    for (size_t i = 0; i < step_intervals().size(); ++i) {
      if (has(step_intervals().step[i])) kept.push_back(step_intervals()[i]);
    }
    step_intervals_ = std::make_shared<StepIntervals>(kept);
  }
  if (pipeline_ops().size() > 0) {
    std::vector<PipelineOp> kept;
    for (size_t i = 0; i < pipeline_ops().size(); ++i) {
      if (has(pipeline_ops().step[i])) kept.push_back(pipeline_ops()[i]);
    }
    pipeline_ops_ = std::make_shared<PipelineOps>(kept);
  }
  const auto keep = [&](auto& table) {
    if (table == nullptr) return;
    auto kept = *table;
    std::erase_if(kept, [&](const auto& row) { return !has(row.step); });
    table = std::make_shared<decltype(kept)>(std::move(kept));
  };
  keep(step_phases_);
  keep(graph_replays_);
}

std::vector<std::pair<std::string, size_t>> Profile::MemoryUse() const {
  size_t steps = 0;
  for (const auto& step : steps_) steps += step->bytes();
  std::vector<std::pair<std::string, size_t>> use = {
      {"strings", graph_->strings.bytes()},
      {"nodes and edges", graph_->nodes.bytes()},
      {"shapes", graph_->shapes.bytes()},
      {"type sets", graph_->type_sets.bytes()},
      {"call stacks", graph_->stacks.bytes()},
      {"devices", graph_->devices.bytes() + graph_->lanes.bytes()},
      {"executions", steps}};
  // Add the optional tables that the profile has.
  const auto add = [&](std::string what, size_t bytes) {
    if (bytes > 0) use.push_back({std::move(what), bytes});
  };
  add("modules", graph_->modules.size() > 1 ? graph_->modules.bytes() : 0);
  add("scopes", graph_->scopes.size() > 1 ? graph_->scopes.bytes() : 0);
  add("links", links().bytes());
  size_t counter_bytes = 0;
  for (const Counter& counter : counters()) {
    counter_bytes += sizeof(Counter) + counter.bytes();
  }
  add("counters", counter_bytes);
  add("step intervals", step_intervals().bytes());
  add("step phases", Bytes(step_phases()));
  add("graph replays", Bytes(graph_replays()));
  add("kernel counters", kernel_counters().bytes());
  add("pipeline operations", pipeline_ops().bytes());
  size_t allocator_bytes = 0;
  for (const AllocatorHistory& history : allocators()) {
    allocator_bytes += history.bytes();
  }
  add("allocators", allocator_bytes);
  add("collective records", collective_records().bytes());
  add("compile logs", compile_logs().bytes());
  return use;
}

const Links& Profile::links() const {
  static const Links kNoLinks;
  return links_ == nullptr ? kNoLinks : *links_;
}

const Counters& Profile::counters() const {
  static const Counters kNoCounters;
  return counters_ == nullptr ? kNoCounters : *counters_;
}

const StepIntervals& Profile::step_intervals() const {
  static const StepIntervals kNoIntervals;
  return step_intervals_ == nullptr ? kNoIntervals : *step_intervals_;
}

const StepPhases& Profile::step_phases() const {
  static const StepPhases kNoPhases;
  return step_phases_ == nullptr ? kNoPhases : *step_phases_;
}

const GraphReplays& Profile::graph_replays() const {
  static const GraphReplays kNoReplays;
  return graph_replays_ == nullptr ? kNoReplays : *graph_replays_;
}

const KernelCounters& Profile::kernel_counters() const {
  static const KernelCounters kNoKernelCounters;
  return kernel_counters_ == nullptr ? kNoKernelCounters : *kernel_counters_;
}

const PipelineOps& Profile::pipeline_ops() const {
  static const PipelineOps kNoPipelineOps;
  return pipeline_ops_ == nullptr ? kNoPipelineOps : *pipeline_ops_;
}

const Allocators& Profile::allocators() const {
  static const Allocators kNoAllocators;
  return allocators_ == nullptr ? kNoAllocators : *allocators_;
}

const CollectiveRecords& Profile::collective_records() const {
  static const CollectiveRecords kNoRecords;
  return collective_records_ == nullptr ? kNoRecords : *collective_records_;
}

const CompileLogs& Profile::compile_logs() const {
  static const CompileLogs kNoCompileLogs;
  return compile_logs_ == nullptr ? kNoCompileLogs : *compile_logs_;
}

std::vector<Profile::TableSize> Profile::OptionalTables() const {
  std::vector<TableSize> tables;
  const auto add = [&](std::string_view name, std::string_view one,
                       size_t rows) {
    if (rows > 0) tables.push_back({name, one, static_cast<int64_t>(rows)});
  };
  // Do not count the unnamed module and the root.
  add("modules", "module", graph_->modules.size() - 1);
  add("scopes", "scope", graph_->scopes.size() - 1);
  add("gradients", "gradient",
      static_cast<size_t>(
          std::count_if(nodes().forward_of.begin(), nodes().forward_of.end(),
                        [](NodeId forward) { return forward != kNone; })));
  add("links", "link", links().size());
  add("counters", "counter", counters().size());
  add("step_intervals", "step interval", step_intervals().size());
  add("step_phases", "step phase", step_phases().size());
  size_t replays = 0;
  for (const GraphReplay& row : graph_replays()) {
    replays += static_cast<size_t>(row.launches);
  }
  add("graph_replays", "graph replay", replays);
  add("counted_kernels", "counted kernel", kernel_counters().kernels.size());
  add("pipeline_ops", "pipeline operation", pipeline_ops().size());
  size_t events = 0, segments = 0;
  for (const AllocatorHistory& history : allocators()) {
    events += history.events.size();
    segments += history.segments.size();
  }
  add("allocator_events", "allocator event", events);
  add("allocator_segments", "allocator segment", segments);
  add("collective_records", "collective record",
      collective_records().calls.size());
  add("compilations", "compilation", compile_logs().compilations.size());
  return tables;
}

}  // namespace tfprof::profile
