// ProfileBuilder: makes a Profile.
//
//   ProfileBuilder builder(TfprofRules());
//   NodeId n = builder.AddNode("conv", "Conv2D", kNoRecord);
//   builder.AddExecutions(/*step=*/0, std::move(records), {});
//   Profile profile = std::move(builder).Build();
//
// Loaders add data in the order in which the reference would read the same
// inputs, because facts and rules depend on the order: the first definition of
// a node wins. The builder asks its accounting rules which executions count,
// and as what. Without rules it keeps facts only, and all sums are 0. A builder
// with a base adds to that profile; unchanged tables stay shared.
//
// Not thread-safe. A builder cannot fail: loaders must report wrong data and
// not add it.

#ifndef TFPROF_PROFILE_PROFILE_BUILDER_H_
#define TFPROF_PROFILE_PROFILE_BUILDER_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/accounting_rules.h"
#include "profile/execution_record.h"
#include "profile/profile.h"
#include "profile/steps/lane_events.h"
#include "profile/steps/step_sums.h"
#include "util/run/task_options.h"

namespace tfprof::profile {

class ProfileBuilder {
 public:
  // `rules` must outlive the builder.
  explicit ProfileBuilder(const AccountingRules& rules = NoAccounting(),
                          const Profile& base = Profile())
      : rules_(&rules), profile_(base), shared_graph_(true) {}

  const AccountingRules& rules() const { return *rules_; }

  // Adds an input and returns its number for RecordRefs.
  uint32_t AddInput(std::shared_ptr<const DetailReader> reader);

  const GraphTables& graph() const { return *profile_.graph_; }
  // Returns the tables for writing. The first call copies the tables of the
  // base.
  GraphTables& mutable_graph() {
    if (shared_graph_) CopySharedGraph();
    // This builder made the copy, which is not const, and is its only owner.
    return const_cast<GraphTables&>(*profile_.graph_);
  }

  // Adds a node with types {op}. Returns kNone if the name exists (the first
  // definition wins). Edges and output shapes go to the last added node.
  NodeId AddNode(std::string_view name, std::string_view op, RecordRef record);
  // The same with ids of strings in the profile's pool.
  NodeId AddNode(StringId name, StringId op, RecordRef record);
  // The same in `module`.
  NodeId AddNode(ModuleId module, std::string_view name, std::string_view op,
                 RecordRef record);
  NodeId AddNode(ModuleId module, StringId name, StringId op, RecordRef record);
  // Reserves memory for this many more nodes and edges.
  void ReserveNodes(size_t nodes, size_t edges);
  void AddEdge(StringId source, int32_t position, int32_t seen_output,
               int32_t output);
  // Adds `count` edges at positions 0, 1, 2 … to a node without edges. at(i)
  // returns the source and the output of edge i; the reference sees output 0.
  // This is ten times as fast as AddEdge: graphs have about ten edges per node.
  template <typename EdgeAt>
  void AddEdges(size_t count, EdgeAt at);
  void AddOutputShape(int32_t index, ShapeId shape);
  void SetFloatOps(NodeId n, int64_t float_ops);
  void AddType(NodeId n, StringId type) { new_types_.push_back({n, type}); }
  // Sets the device of the node, and adds the device to the types.
  void SetDevice(NodeId n, DeviceId device);

  // These functions fill tables that only some formats have
  // (builder_tables.cc). AddModule adds the module `name`, and AddScope the
  // scope `part` of `parent`, unless they exist. An empty part means `parent`
  // itself.
  ModuleId AddModule(std::string_view name);
  ScopeId AddScope(ScopeId parent, std::string_view part);
  // After the first call, names in the profile are no longer paths.
  void SetScope(NodeId n, ScopeId scope);
  // Marks `n` as the gradient of `forward`. After the first call, the profile
  // has only the gradients set here.
  void SetForward(NodeId n, NodeId forward);
  // Both ends must be executions of finished steps; Build() drops other links.
  void AddLink(const Link& link) { new_links_.push_back(link); }
  // Adds links that are sorted and without duplicates. They need no extra
  // memory if there are no other links.
  void AddSortedLinks(Links links);
  // Adds `counter`, which has no samples yet. `samples` may be in any order;
  // samples that are not finite are dropped.
  void AddCounter(Counter counter, std::vector<CounterSample> samples);
  // Sets all kernel counters of the profile and replaces earlier ones.
  void SetKernelCounters(KernelCounters counters);
  // The same for histories of allocators, dumps of flight recorders, and logs
  // of compilers.
  void SetAllocators(Allocators allocators);
  void SetCollectiveRecords(CollectiveRecords records);
  void SetCompileLogs(CompileLogs logs);
  // Adds the step too, even if nothing ran in it. `end` is at or after `start`.
  void AddStepInterval(const StepInterval& interval);
  // The type of the operation is a string of the profile. The step must be
  // added too.
  void AddPipelineOp(const PipelineOp& op) { new_pipeline_ops_.push_back(op); }
  // Add rows about steps that other calls add. A step has at most one row of a
  // process in each table.
  void AddStepPhase(const StepPhase& phase) { new_phases_.push_back(phase); }
  void AddGraphReplay(const GraphReplay& replay) {
    new_replays_.push_back(replay);
  }

  // Records that the node ran in steps that are not added.
  void SetRanElsewhere(NodeId n);

  // Lists the step, even if nothing ran in it.
  void AddStep(int64_t step) { pending_[step].listed = true; }
  // Adds a batch of executions in file order to the step, on all cores. Calls
  // `no_start` with each record that would count if it had a start. `coverage`,
  // if not empty, has a value for every node and is updated. Returns how many
  // nodes became covered.
  int64_t AddExecutions(
      int64_t step, std::vector<LaneExecutions> executions,
      const std::function<void(const ExecutionRecord&)>& no_start,
      std::span<Coverage> coverage = {});
  // The same for records in microseconds that have their lanes.
  void AddExecutions(
      int64_t step, const std::vector<ExecutionRecord>& records,
      const std::function<void(const ExecutionRecord&)>& no_start);
  // Adds executions of a saved profile together with their sums. `sums` has
  // each node at most once, and the records of a node are consecutive. Times
  // are in the given ticks (microseconds by default); sums of times are in the
  // ticks of the profile. The step is listed only if AddStep is called.
  void AddGroups(int64_t step, std::vector<GroupSums> sums,
                 std::vector<ExecutionRecord> records,
                 int64_t ticks_per_micro = 1);
  // Adds an execution that belongs to no node. The step is listed only if
  // another call lists it.
  void AddOutside(int64_t step, NamedExecution execution,
                  int64_t ticks_per_micro = 1);
  // Adds the events of `ranges`, in ascending event; the ranges do not overlap.
  // The rules must support events (AccountingRules::TakesEvents), or their
  // times are not summed. A step is listed if it has an event of a node.
  void AddEvents(LaneEvents lane, const std::vector<EventRange>& ranges);
  // Converts the pending data of these steps to columns, on all cores. Columns
  // take a fifth of the memory. More data may be added to a step later.
  void FinishSteps(const std::vector<int64_t>& steps);
  void FinishStep(int64_t step) { FinishSteps({step}); }
  // Finishes all steps with pending data.
  void FinishAllSteps();

  // The finished steps, in ascending id.
  const std::vector<std::shared_ptr<const Step>>& finished_steps() const {
    return profile_.steps();
  }

  // FinishSteps in three parts, for a loader that has other work for the cores.
  // MakeStep may run on any thread while nothing is added.
  class UnfinishedStep;
  std::vector<UnfinishedStep> BeginSteps(const std::vector<int64_t>& steps);
  void MakeStep(UnfinishedStep& step, bool parallel) const;
  void EndSteps(std::vector<UnfinishedStep> steps);

  // Sets other rules, before anything is added. They must outlive the builder.
  void SetRules(const AccountingRules& rules);
  // Sets the minimum resolution of summed times, before anything is added: 1,
  // 1000 or 1,000,000. No batch may have shorter ticks.
  void SetTicksPerMicro(int64_t ticks_per_micro);

  // Sets the threads and the cancellation. By default all cores are used.
  void SetWork(const util::TaskOptions& work) { work_ = work; }
  // Limits the memory of the profile. When it exceeds `bytes`, the executions
  // of all steps are dropped; their sums stay. 0: no limit.
  void SetMaxMemory(size_t bytes) { max_memory_ = bytes; }
  size_t max_memory() const { return max_memory_; }
  bool dropped_executions() const { return dropped_executions_; }

  Profile Build() &&;

 private:
  // Executions that have their sums already.
  struct Given {
    std::vector<GroupSums> sums;
    LaneExecutions executions;  // the records' lanes are set
  };
  struct PendingStep {
    bool listed = false;
    bool aggregated = false;  // the executions of the step were dropped
    std::vector<Given> given;
    std::vector<LaneExecutions> batches;  // to be summed, in order of addition
    // Executions outside of groups, each with its ticks per microsecond.
    std::vector<std::pair<NamedExecution, int64_t>> outside;
    // Events come after the batches and after `outside`.
    std::vector<StepEvents> events;
  };

  void CopySharedGraph();
  NodeId AppendNode(StringId name, StringId op, RecordRef record);
  void RenumberLinks(const Step& before, const Step& after);
  void LabelNodes();
  void FinishTables();
  // Converts all pending times to ticks of one length, and returns the ticks
  // per microsecond.
  static int64_t UnifyTicks(PendingStep& pending);
  void TrimGraph();
  void AddDeviceType(NodeId n);
  void KeepUnderMaxMemory();
  static void Reopen(const Step& step, PendingStep& pending);
  std::shared_ptr<const Step> MakeColumns(int64_t id, PendingStep pending,
                                          bool parallel) const;

  const AccountingRules* rules_;
  Profile profile_;
  bool shared_graph_;
  std::map<int64_t, PendingStep> pending_;
  std::vector<std::pair<NodeId, StringId>> new_types_;
  std::vector<NodeId> ran_elsewhere_;
  // Cached results of TypeSets: the set {op} of each op (kNone: unknown), and
  // for each set the last added device and the resulting set.
  std::vector<TypeSetId> types_of_op_;
  std::vector<std::pair<DeviceId, TypeSetId>> with_device_;
  // New data to add to the tables of the profile.
  std::vector<Link> new_links_;
  Counters new_counters_;
  std::vector<StepInterval> new_intervals_;
  std::vector<PipelineOp> new_pipeline_ops_;
  StepPhases new_phases_;
  GraphReplays new_replays_;
  util::TaskOptions work_;
  size_t max_memory_ = 0;
  bool dropped_executions_ = false;
};

// A step whose pending data is being converted to columns.
class ProfileBuilder::UnfinishedStep {
 private:
  friend class ProfileBuilder;
  int64_t id_ = 0;
  PendingStep pending_;
  std::shared_ptr<const Step> made_;
};

template <typename EdgeAt>
void ProfileBuilder::AddEdges(size_t count, EdgeAt at) {
  NodeTable& nodes = mutable_graph().nodes;
  if (!nodes.edge_position.empty() || !nodes.edge_seen_output.empty()) {
    for (size_t i = 0; i < count; ++i) {
      const auto [source, output] = at(i);
      AddEdge(source, static_cast<int32_t>(i), /*seen_output=*/0, output);
    }
    return;
  }
  const size_t first = nodes.edge_source.size();
  nodes.edge_source.resize(first + count);
  nodes.edge_begin.back() += static_cast<uint32_t>(count);
  bool all_zero = true;
  for (size_t i = 0; i < count; ++i) {
    const auto [source, output] = at(i);
    nodes.edge_source[first + i] = source;
    all_zero &= output == 0;
  }
  if (all_zero && nodes.edge_output.empty()) return;
  nodes.edge_output.reserve(nodes.edge_source.capacity());
  nodes.edge_output.resize(first + count, 0);
  for (size_t i = 0; i < count && !all_zero; ++i) {
    nodes.edge_output[first + i] = at(i).second;
  }
}

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_PROFILE_BUILDER_H_
