// ProfileBuilder: the one way to make a Profile.
//
//   ProfileBuilder builder(TfprofRules());
//   NodeId n = builder.AddNode("conv", "Conv2D", kNoRecord);
//   builder.AddExecutions(/*step=*/0, std::move(records), {});
//   Profile profile = std::move(builder).Build();
//
// Loaders fill it in the order in which the reference would read the same
// inputs, because facts and rules depend on the order: the first definition of
// a node wins. The builder asks its accounting rules which executions count,
// and as what. Without rules it keeps facts only, and all sums are 0. A builder
// with a base adds to that profile; tables that it does not change stay shared.
//
// Not thread safe. A builder cannot fail: a loader reports wrong data itself
// and does not add it.

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
#include "profile/lane_events.h"
#include "profile/profile.h"
#include "profile/step_sums.h"
#include "util/work.h"

namespace tfprof {

class ProfileBuilder {
 public:
  // `rules` must outlive the builder.
  explicit ProfileBuilder(const AccountingRules& rules = NoAccounting(),
                          const Profile& base = Profile())
      : rules_(&rules), profile_(base), shared_graph_(true) {}

  const AccountingRules& rules() const { return *rules_; }

  // Returns the number of the input, for RecordRefs.
  uint32_t AddInput(std::shared_ptr<const DetailReader> reader);

  const GraphTables& graph() const { return *profile_.graph_; }
  // The tables to fill. The first call copies those of the base.
  GraphTables& mutable_graph() {
    if (shared_graph_) CopySharedGraph();
    // The builder made this copy, as non-const, and alone holds it.
    return const_cast<GraphTables&>(*profile_.graph_);
  }

  // Adds a node with types {op}; kNone if the name exists (the first definition
  // wins). Edges and output shapes go to the node that was added last.
  NodeId AddNode(std::string_view name, std::string_view op, RecordRef record);
  // The same with strings of the profile's pool.
  NodeId AddNode(StringId name, StringId op, RecordRef record);
  // The same in `module`.
  NodeId AddNode(ModuleId module, std::string_view name, std::string_view op,
                 RecordRef record);
  // Reserves memory for this many more nodes and edges.
  void ReserveNodes(size_t nodes, size_t edges);
  void AddEdge(StringId source, int32_t position, int32_t seen_output,
               int32_t output);
  // Adds `count` edges at positions 0, 1, 2 … of a node without edges. at(i) is
  // the source and the output of edge i; for the reference it is output 0.
  // Takes a tenth of the time of AddEdge: graphs have some ten edges per node.
  template <typename EdgeAt>
  void AddEdges(size_t count, EdgeAt at);
  void AddOutputShape(int32_t index, ShapeId shape);
  void SetFloatOps(NodeId n, int64_t float_ops);
  void AddType(NodeId n, StringId type) { new_types_.push_back({n, type}); }
  // Sets the device of the node, and adds the device to the types.
  void SetDevice(NodeId n, DeviceId device);

  // Tables that only some formats fill (builder_tables.cc). AddModule and
  // AddScope add the module `name` and the scope `part` of `parent` unless they
  // exist. An empty part is `parent` itself.
  ModuleId AddModule(std::string_view name);
  ScopeId AddScope(ScopeId parent, std::string_view part);
  // After the first call, no name in the profile is a path.
  void SetScope(NodeId n, ScopeId scope);
  // `n` is the gradient of `forward`. After the first call, the profile has
  // only the gradients that were set here.
  void SetForward(NodeId n, NodeId forward);
  // Both ends are executions of finished steps; Build drops other links.
  void AddLink(const Link& link) { new_links_.push_back(link); }
  // Links that are in their order already, each once: they take no memory
  // besides the columns if there are no others.
  void AddSortedLinks(Links links);
  // `counter` comes without its samples. `samples` may be in any order; those
  // whose values are not finite are dropped.
  void AddCounter(Counter counter, std::vector<CounterSample> samples);
  // All of the profile; a second call replaces them.
  void SetKernelCounters(KernelCounters counters);
  // The step exists, even if nothing ran in it. `end` is at or after `start`.
  void AddStepInterval(const StepInterval& interval);

  // The node ran in steps that are not added.
  void SetRanElsewhere(NodeId n);

  // The step exists, even if nothing ran in it.
  void AddStep(int64_t step) { pending_[step].listed = true; }
  // A batch of executions, in file order; accumulates into the step, on all
  // cores. `no_start` is called with each record that would count if it had a
  // start. `coverage`, if not empty, has a value for every node and is kept up
  // to date; the result is how many nodes became covered.
  int64_t AddExecutions(
      int64_t step, std::vector<LaneExecutions> executions,
      const std::function<void(const ExecutionRecord&)>& no_start,
      std::span<Coverage> coverage = {});
  // The same for microsecond records that have their lanes.
  void AddExecutions(
      int64_t step, const std::vector<ExecutionRecord>& records,
      const std::function<void(const ExecutionRecord&)>& no_start);
  // Adds executions of a saved profile together with their sums. `sums` has
  // each node at most once, and the records of a node are consecutive. Times
  // are microseconds, or have the ticks that are given; sums of times have
  // those of the profile. The step is listed only if AddStep is called.
  void AddGroups(int64_t step, std::vector<GroupSums> sums,
                 std::vector<ExecutionRecord> records,
                 int64_t ticks_per_micro = 1);
  // Adds an execution that belongs to no node. The step is listed only if
  // another call lists it.
  void AddOutside(int64_t step, NamedExecution execution,
                  int64_t ticks_per_micro = 1);
  // Adds the events of `ranges`, in ascending event; the ranges do not overlap.
  // Rules that do not take events (AccountingRules::TakesEvents) cannot sum
  // them. Their steps are listed if an event is of a node.
  void AddEvents(LaneEvents lane, const std::vector<EventRange>& ranges);
  // Turns the pending data of these steps into columns, on all cores. Columns
  // take a fifth of the memory. More data may be added to a step later.
  void FinishSteps(const std::vector<int64_t>& steps);
  void FinishStep(int64_t step) { FinishSteps({step}); }
  // All that has pending data.
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

  // Chooses other rules, before anything is added. They must outlive the
  // builder.
  void SetRules(const AccountingRules& rules);
  // Makes sums of times at least as fine as this; before anything is added.
  // 1, 1000 or 1,000,000. No batch may have shorter ticks.
  void SetTicksPerMicro(int64_t ticks_per_micro);

  // How tables and sums are computed. Default: on all cores.
  void SetWork(const Work& work) { work_ = work; }
  // Limits the memory of the profile. When it exceeds `bytes`, the executions
  // of all steps are dropped; their sums stay. 0: no limit.
  void SetMaxMemory(size_t bytes) { max_memory_ = bytes; }
  size_t max_memory() const { return max_memory_; }
  bool dropped_executions() const { return dropped_executions_; }

  Profile Build() &&;

 private:
  // Executions whose sums are known.
  struct Given {
    std::vector<GroupSums> sums;
    LaneExecutions executions;  // the records have their lanes
  };
  struct PendingStep {
    bool listed = false;
    bool aggregated = false;  // of a step whose executions were dropped
    std::vector<Given> given;
    std::vector<LaneExecutions> batches;  // to be summed; as they were added
    // Outside of groups, each with its ticks in a microsecond.
    std::vector<std::pair<NamedExecution, int64_t>> outside;
    // After the batches, and after `outside`.
    std::vector<StepEvents> events;
  };

  void CopySharedGraph();
  NodeId AppendNode(StringId name, StringId op, RecordRef record);
  void RenumberLinks(const Step& before, const Step& after);
  void LabelNodes();
  void FinishTables();
  // Converts all pending times to ticks of one length, and returns how many of
  // them a microsecond has.
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
  // The last results of TypeSets: for an op the set {op} (kNone: not known
  // yet), and for a set the last added device and the set with it.
  std::vector<TypeSetId> types_of_op_;
  std::vector<std::pair<DeviceId, TypeSetId>> with_device_;
  // To be added to those of the profile.
  std::vector<Link> new_links_;
  Counters new_counters_;
  std::vector<StepInterval> new_intervals_;
  Work work_;
  size_t max_memory_ = 0;
  bool dropped_executions_ = false;
};

// A step on the way from its pending data to its columns.
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

}  // namespace tfprof

#endif  // TFPROF_PROFILE_PROFILE_BUILDER_H_
