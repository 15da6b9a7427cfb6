// ProfileBuilder: the one way to make a Profile.
//
//   ProfileBuilder builder(TfprofRules());
//   NodeId n = builder.AddNode("conv", "Conv2D", kNoRecord);
//   builder.AddExecutions(/*step=*/0, std::move(records), {});
//   Profile profile = std::move(builder).Build();
//
// Loaders fill it in the order in which the reference would read the same
// inputs, because facts and rules depend on it: the first definition of a node
// wins. Which executions count, and as what, the builder asks its accounting
// rules; without rules it keeps facts only, and all sums are 0. Started from an
// existing profile it adds to it; what it does not touch stays shared.
//
// Not thread safe. A builder cannot fail: what a loader finds wrong it reports
// itself and does not add.

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

  // The number under which RecordRefs name this input.
  uint32_t AddInput(std::shared_ptr<const DetailReader> reader);

  const GraphTables& graph() const { return *profile_.graph_; }
  // The tables to fill; a copy of the base's at the first call.
  GraphTables& mutable_graph() {
    if (shared_graph_) CopySharedGraph();
    // The builder made this copy, as non-const, and alone holds it.
    return const_cast<GraphTables&>(*profile_.graph_);
  }

  // A new node with types {op}; kNone when the name exists (the first
  // definition wins). Edges and output shapes go to the node added last.
  NodeId AddNode(std::string_view name, std::string_view op, RecordRef record);
  // The same with strings of the profile's pool.
  NodeId AddNode(StringId name, StringId op, RecordRef record);
  // The same in another module than the unnamed one.
  NodeId AddNode(ModuleId module, std::string_view name, std::string_view op,
                 RecordRef record);
  // Room for this many nodes and edges more.
  void ReserveNodes(size_t nodes, size_t edges);
  void AddEdge(StringId source, int32_t position, int32_t seen_output,
               int32_t output);
  // `count` edges at positions 0, 1, 2 … of a node without edges; at(i) is the
  // source and the output of edge i, which to the reference is output 0. A
  // tenth of the time of AddEdge: graphs have some ten edges per node.
  template <typename EdgeAt>
  void AddEdges(size_t count, EdgeAt at);
  void AddOutputShape(int32_t index, ShapeId shape);
  void SetFloatOps(NodeId n, int64_t float_ops);
  void AddType(NodeId n, StringId type) { new_types_.push_back({n, type}); }
  // Where the node runs; adds the device to the types.
  void SetDevice(NodeId n, DeviceId device);

  // Tables that only some formats fill (builder_tables.cc). The module of a
  // name, the scope `part` of `parent`: new ones at the first call. An empty
  // part is `parent` itself.
  ModuleId AddModule(std::string_view name);
  ScopeId AddScope(ScopeId parent, std::string_view part);
  // From the first call on no name of the profile is a path.
  void SetScope(NodeId n, ScopeId scope);
  // `n` is the gradient of `forward`. From the first call on the gradients of
  // the profile are those that were named here.
  void SetForward(NodeId n, NodeId forward);
  // Both ends are executions of finished steps; Build drops other links.
  void AddLink(const Link& link) { new_links_.push_back(link); }
  // `counter` without its samples, which come in any order. Those that are no
  // finite number are dropped.
  void AddCounter(Counter counter, std::vector<CounterSample> samples);
  // The step exists, even if nothing ran in it. `end` is at or after `start`.
  void AddStepInterval(const StepInterval& interval);

  // The node ran in steps that nobody adds.
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
  // Executions that are in `sums` already, from a saved profile: of many nodes,
  // each at most once, the records of a node together, in microseconds. The
  // step is not listed unless AddStep says so.
  void AddGroups(int64_t step, std::vector<GroupSums> sums,
                 std::vector<ExecutionRecord> records);
  // An execution of no node, in microseconds.
  void AddOutside(int64_t step, NamedExecution execution);
  // Turns what is pending of these steps into columns, which are a fifth of
  // the size, on all cores. More may be added to a step later.
  void FinishSteps(const std::vector<int64_t>& steps);
  void FinishStep(int64_t step) { FinishSteps({step}); }

  // Those that are columns, in ascending id.
  const std::vector<std::shared_ptr<const Step>>& finished_steps() const {
    return profile_.steps();
  }

  // The same in three parts, for a loader that has other work for the cores:
  // MakeStep may run on any thread as long as nothing is added meanwhile.
  class UnfinishedStep;
  std::vector<UnfinishedStep> BeginSteps(const std::vector<int64_t>& steps);
  void MakeStep(UnfinishedStep& step, bool parallel) const;
  void EndSteps(std::vector<UnfinishedStep> steps);

  // Keep under `bytes` if that is possible: once the profile is larger, the
  // executions of all its steps are dropped and their sums stay. 0: no limit.
  // How tables and sums are computed. Default: on all cores.
  void SetWork(const Work& work) { work_ = work; }
  void SetMaxMemory(size_t bytes) { max_memory_ = bytes; }
  size_t max_memory() const { return max_memory_; }
  bool dropped_executions() const { return dropped_executions_; }

  Profile Build() &&;

 private:
  // Executions that are in sums already.
  struct Given {
    std::vector<GroupSums> sums;
    LaneExecutions executions;  // the records have their lanes
  };
  struct PendingStep {
    bool listed = false;
    bool aggregated = false;  // of a step whose executions were dropped
    std::vector<Given> given;
    std::vector<LaneExecutions> batches;  // to be summed; as they were added
    // Outside of groups, each with the length of its tick.
    std::vector<std::pair<NamedExecution, int64_t>> outside;
  };

  void CopySharedGraph();
  NodeId AppendNode(StringId name, StringId op, RecordRef record);
  void RenumberLinks(const Step& before, const Step& after);
  void LabelNodes();
  void FinishTables();
  // Gives all that is pending the same ticks; returns their length.
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
  // Steps between type sets that were made last: from op to {op} (kNone: not
  // asked yet), and from a set to the one with a device more.
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

// A step between what was added and its columns.
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
