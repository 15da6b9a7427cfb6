// Profile: everything that the inputs recorded about a program, immutable.
//
// It has two layers. *Facts* are tables with 32-bit ids: strings, nodes and
// edges (node_table.h), devices, lanes, shapes, type sets, call stacks, and the
// executions of each step (step.h). *Accounting* is the sums that rules compute
// from the executions; they are columns of the steps (step_sums.h).
//
// A ProfileBuilder makes a Profile, which never changes, so any number of
// threads may read it. Profiles share steps and graph tables: a profile with
// one more step needs memory only for that step. It owns the inputs to which
// its records refer.
//
// Some tables exist only if a format fills them, and otherwise use no memory:
// modules (modules.h), scopes (scopes.h), gradients (NodeTable::forward_of),
// links between executions (links.h), counters (counters.h), intervals of steps
// (step_intervals.h), their phases (step_phases.h), replays of graphs
// (graph_replays.h), operations of pipelines (pipeline.h), logs of compilers
// (compile_logs.h), dumps of flight recorders (collective_records.h) and
// histories of memory allocators (allocators.h).
//
// Guarantees: every id in every column is valid or kNone; no two nodes have the
// same module and name; steps are in ascending id; groups of a step are in
// ascending node id. Nodes of several modules may have the same name, so a name
// is not a key.

#ifndef TFPROF_PROFILE_PROFILE_H_
#define TFPROF_PROFILE_PROFILE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/details.h"
#include "profile/steps/graph_replays.h"
#include "profile/steps/step.h"
#include "profile/steps/step_intervals.h"
#include "profile/steps/step_phases.h"
#include "profile/tables/allocators.h"
#include "profile/tables/call_stacks.h"
#include "profile/tables/collective_records.h"
#include "profile/tables/compile_logs.h"
#include "profile/tables/counters.h"
#include "profile/tables/device_table.h"
#include "profile/tables/kernel_counters.h"
#include "profile/tables/lanes.h"
#include "profile/tables/links.h"
#include "profile/tables/modules.h"
#include "profile/tables/node_table.h"
#include "profile/tables/pipeline.h"
#include "profile/tables/scopes.h"
#include "profile/tables/shape_table.h"
#include "profile/tables/string_pool.h"
#include "profile/tables/type_sets.h"

namespace tfprof::profile {

// The tables that do not depend on steps.
struct GraphTables {
  StringPool strings;
  ShapeTable shapes;
  TypeSets type_sets;
  CallStacks stacks;
  DeviceTable devices;
  LaneTable lanes;
  Modules modules;
  Scopes scopes;
  NodeTable nodes;
  // An op log or profile states that it has call stacks (even if no node has
  // one).
  bool has_code_traces = false;
  // The sources of edges are nodes that ran inside the node, not what it reads:
  // a trace of calls has no data flow.
  bool edges_are_calls = false;
  // The unit of all summed times: a tick is 1/ticks_per_micro microseconds
  // (time_column.h).
  int64_t ticks_per_micro = 1;
  // Times of nodes exclude nested executions, and averages are over all listed
  // steps (AccountingRules::SelfTimes).
  bool self_times = false;
  // Nodes ran on a GPU, but no input recorded its streams.
  bool misses_accelerator_stream = false;
};

// What Profile::WithTexts() does with the texts of a profile. Both functions
// are called from any thread.
struct TextChange {
  // Returns the text instead of this one; nullopt: it stays.
  std::function<std::optional<std::string>(std::string_view text)> text;
  // Returns the name to show instead of this host; "": none.
  std::function<std::string(std::string_view host)> host;
};

class Profile {
 public:
  Profile() : graph_(std::make_shared<GraphTables>()) {}

  const GraphTables& graph() const { return *graph_; }
  const NodeTable& nodes() const { return graph_->nodes; }
  const StringPool& strings() const { return graph_->strings; }
  // The unit of summed times; a power of 1000.
  int64_t ticks_per_micro() const { return graph_->ticks_per_micro; }
  // Converts a sum of times to whole microseconds, rounded down.
  int64_t Micros(int64_t ticks) const {
    return TicksToMicros(ticks, ticks_per_micro());
  }
  const DeviceTable& devices() const { return graph_->devices; }
  const LaneTable& lanes() const { return graph_->lanes; }
  // Returns kNone if the execution has no lane, or the lane has no device.
  DeviceId device_of(LaneId lane) const {
    return lane == kNone ? kNone : lanes()[lane].device;
  }
  // Returns the label of a node: its name, or "MODULE/NAME" if another module
  // has a node with the same name.
  std::string_view node_name(NodeId n) const {
    return strings().Get(nodes().labels()[n]);
  }
  // Returns "" for the unnamed module.
  std::string_view module_name(ModuleId module) const {
    return module == kUnnamedModule
               ? std::string_view()
               : strings().Get(graph_->modules.name(module));
  }
  // Returns the nodes with this name, in ascending module.
  std::vector<NodeId> NodesNamed(StringId name) const;

  // All steps, in ascending id.
  const std::vector<std::shared_ptr<const Step>>& steps() const {
    return steps_;
  }
  // Returns the steps that an average covers: the listed ones for a trace
  // (GraphTables::self_times), otherwise all.
  std::vector<const Step*> AveragedSteps() const;
  // Returns nullptr if the step does not exist or is not listed.
  const Step* FindStep(int64_t id) const;

  const Links& links() const;
  const Counters& counters() const;
  const StepIntervals& step_intervals() const;
  const StepPhases& step_phases() const;
  const GraphReplays& graph_replays() const;
  const KernelCounters& kernel_counters() const;
  const PipelineOps& pipeline_ops() const;
  const Allocators& allocators() const;
  const CollectiveRecords& collective_records() const;
  const CompileLogs& compile_logs() const;

  // The size of an optional table.
  struct TableSize {
    std::string_view name;  // "step_intervals"
    std::string_view one;   // "step interval"
    int64_t rows = 0;
  };
  std::vector<TableSize> OptionalTables() const;

  // Returns the attributes of a node as (key, serialized AttrValue).
  AttributeList Attributes(NodeId n) const;
  // Returns the inputs of a node as in its file, by position; see details.h.
  std::vector<std::string_view> Inputs(NodeId n) const;
  // Returns the texts in an execution's record; empty for kNoRecord.
  RecordText Text(RecordRef record) const;
  // Returns the data transfer of an execution.
  Transfer TransferOf(RecordRef record) const;
  // Returns the other arguments in an execution's record.
  ArgumentList Arguments(RecordRef record) const;
  // Returns the functions that nodes call as (name, record). If names are
  // equal, the first function counts.
  std::vector<std::pair<std::string_view, RecordRef>> Functions() const;
  FunctionBody Function(RecordRef function) const;
  // Returns the output shapes of an execution (its Step::exec_record).
  std::vector<SeenShape> OutputShapes(RecordRef execution) const;
  // Returns the memory data of an execution's record; `on_cpu` is explained in
  // details.h.
  ExecutionDetail RecordDetail(RecordRef record, bool on_cpu) const;
  // True if the record covers all executions of a node in a step.
  bool IsGroupRecord(RecordRef record) const;
  // Return a serialized NodeDef or NodeExecStats; empty if no input has one.
  std::string_view NodeDef(NodeId n) const;
  std::string_view NodeExecStats(RecordRef record) const;

  // Returns the serialized StepStats from which the executions of a step were
  // read, or nothing if they do not all come from StepStats.
  std::vector<std::string_view> StepStats(const Step& step) const;

  // The number of inputs to which RecordRefs refer.
  size_t num_inputs() const { return inputs_.size(); }

  // The node ran in steps that were removed from this profile. Its float
  // operations differ from those of a node that never ran.
  bool RanElsewhere(NodeId n) const {
    return ran_elsewhere_ != nullptr && n < ran_elsewhere_->size() &&
           (*ran_elsewhere_)[n];
  }

  // Returns this profile with only the given steps, in ascending id. Reports of
  // one of these steps stay the same. A link stays if both of its ends are in
  // these steps.
  Profile WithSteps(std::vector<std::shared_ptr<const Step>> steps) const;

  // Returns this profile with other texts: names, paths, arguments, and the
  // names of hosts. Ids, order and numbers stay. Two texts that become the same
  // stay two: the second one gets an apostrophe. Serialized messages
  // (NodeDef(), NodeExecStats(), StepStats()) stay as they are in the file.
  Profile WithTexts(const TextChange& change) const;

  // Returns the memory of each table in bytes, for `status`: (table, bytes).
  std::vector<std::pair<std::string, size_t>> MemoryUse() const;

 private:
  friend class ProfileBuilder;

  // Drops the rows of steps that are not in the profile from all tables.
  void KeepTablesOfSteps();

  std::shared_ptr<const GraphTables> graph_;
  std::vector<std::shared_ptr<const Step>> steps_;
  // Indexed by node; may be shorter. nullptr: no node.
  std::shared_ptr<const std::vector<bool>> ran_elsewhere_;
  // Indexed by the input number of a RecordRef.
  std::vector<std::shared_ptr<const DetailReader>> inputs_;
  // nullptr if the profile has none.
  std::shared_ptr<const Links> links_;
  std::shared_ptr<const Counters> counters_;
  std::shared_ptr<const StepIntervals> step_intervals_;
  std::shared_ptr<const StepPhases> step_phases_;
  std::shared_ptr<const GraphReplays> graph_replays_;
  std::shared_ptr<const KernelCounters> kernel_counters_;
  std::shared_ptr<const PipelineOps> pipeline_ops_;
  std::shared_ptr<const Allocators> allocators_;
  std::shared_ptr<const CollectiveRecords> collective_records_;
  std::shared_ptr<const CompileLogs> compile_logs_;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_PROFILE_H_
