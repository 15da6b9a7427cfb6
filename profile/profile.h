// Profile: everything that the inputs said about a program, immutable.
//
// Two layers. *Facts* are tables with 32-bit ids: strings, nodes and edges
// (node_table.h), devices, lanes, shapes, type sets, call stacks, and the
// executions of each step (step.h). *Accounting* is the sums that rules compute
// from the executions; they are columns of the steps (step_sums.h).
//
// A Profile is made by a ProfileBuilder and never changes, so any number of
// threads may read it. Steps and graph tables are shared: a profile with one
// step more costs that step. It owns the inputs that its records point into.
//
// Some tables exist only if a format fills them, and otherwise cost nothing:
// modules (modules.h), scopes (scopes.h), gradients (NodeTable::forward_of),
// links between executions (links.h), counters (counters.h) and intervals of
// steps (step_intervals.h).
//
// Guarantees: every id in every column is valid or kNone; no two nodes have the
// same module and name; steps are in ascending id; groups of a step are in
// ascending node id. Nodes of several modules may have the same name, so a name
// is not a key.

#ifndef TFPROF_PROFILE_PROFILE_H_
#define TFPROF_PROFILE_PROFILE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/call_stacks.h"
#include "profile/counters.h"
#include "profile/details.h"
#include "profile/device_table.h"
#include "profile/kernel_counters.h"
#include "profile/lanes.h"
#include "profile/links.h"
#include "profile/modules.h"
#include "profile/node_table.h"
#include "profile/scopes.h"
#include "profile/shape_table.h"
#include "profile/step.h"
#include "profile/step_intervals.h"
#include "profile/string_pool.h"
#include "profile/type_sets.h"

namespace tfprof {

// The tables that do not depend on a step.
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
  // A log or profile says that it has call stacks (even if no node has one).
  bool has_code_traces = false;
  // The unit of all sums of times: a tick is 1/ticks_per_micro microseconds
  // (time_column.h).
  int64_t ticks_per_micro = 1;
  // Times of nodes are without the executions inside them, and averages are
  // over all listed steps (AccountingRules::SelfTimes).
  bool self_times = false;
  // Nodes were scheduled on a GPU, but no input recorded its streams.
  bool misses_accelerator_stream = false;
};

class Profile {
 public:
  Profile() : graph_(std::make_shared<GraphTables>()) {}

  const GraphTables& graph() const { return *graph_; }
  const NodeTable& nodes() const { return graph_->nodes; }
  const StringPool& strings() const { return graph_->strings; }
  // The unit of sums of times; a power of 1000.
  int64_t ticks_per_micro() const { return graph_->ticks_per_micro; }
  // A sum of times in whole microseconds, rounded down.
  int64_t Micros(int64_t ticks) const {
    return TicksToMicros(ticks, ticks_per_micro());
  }
  const DeviceTable& devices() const { return graph_->devices; }
  const LaneTable& lanes() const { return graph_->lanes; }
  // kNone: the execution has no lane, or the lane no device.
  DeviceId device_of(LaneId lane) const {
    return lane == kNone ? kNone : lanes()[lane].device;
  }
  // The label of a node: its name, or "MODULE/NAME" if another module has a
  // node of the same name.
  std::string_view node_name(NodeId n) const {
    return strings().Get(nodes().labels()[n]);
  }
  // "" for the unnamed module.
  std::string_view module_name(ModuleId module) const {
    return module == kUnnamedModule
               ? std::string_view()
               : strings().Get(graph_->modules.name(module));
  }
  // The nodes of this name, in ascending module.
  std::vector<NodeId> NodesNamed(StringId name) const;

  // Ascending id.
  const std::vector<std::shared_ptr<const Step>>& steps() const {
    return steps_;
  }
  // The steps that an average is of: the listed ones of a trace
  // (GraphTables::self_times), otherwise all.
  std::vector<const Step*> AveragedSteps() const;
  // nullptr if there is no such step, or it is not listed.
  const Step* FindStep(int64_t id) const;

  const Links& links() const;
  const Counters& counters() const;
  const StepIntervals& step_intervals() const;
  const KernelCounters& kernel_counters() const;

  // The sizes of the optional tables that this profile has.
  struct TableSize {
    std::string_view name;  // "step_intervals"
    std::string_view one;   // "step interval"
    int64_t rows = 0;
  };
  std::vector<TableSize> OptionalTables() const;

  // Attributes of a node as (key, serialized AttrValue).
  AttributeList Attributes(NodeId n) const;
  // Inputs of a node as its file writes them, by position; see details.h.
  std::vector<std::string_view> Inputs(NodeId n) const;
  // Texts of the record of an execution; kNoRecord has none.
  RecordText Text(RecordRef record) const;
  // What it moved.
  Transfer TransferOf(RecordRef record) const;
  // What its record says besides.
  ArgumentList Arguments(RecordRef record) const;
  // The functions that nodes call: (name, record). If names are equal, the
  // first one counts.
  std::vector<std::pair<std::string_view, RecordRef>> Functions() const;
  FunctionBody Function(RecordRef function) const;
  // Output shapes of an execution (its Step::exec_record).
  std::vector<SeenShape> OutputShapes(RecordRef execution) const;
  // Memory of one record of an execution; `on_cpu`: as in details.h.
  ExecutionDetail RecordDetail(RecordRef record, bool on_cpu) const;
  // True: the record is of a node and step, not of one execution.
  bool IsGroupRecord(RecordRef record) const;
  // A serialized NodeDef, NodeExecStats; empty if no input has it in that form.
  std::string_view NodeDef(NodeId n) const;
  std::string_view NodeExecStats(RecordRef record) const;

  // The serialized StepStats from which the executions of a step were read.
  // Empty: not all of them come from one.
  std::vector<std::string_view> StepStats(const Step& step) const;

  // The node ran in steps that were removed from this profile. Its float
  // operations differ from those of a node that never ran.
  bool RanElsewhere(NodeId n) const {
    return ran_elsewhere_ != nullptr && n < ran_elsewhere_->size() &&
           (*ran_elsewhere_)[n];
  }

  // This profile with only these of its steps, in ascending id. Reports of one
  // of them stay the same. A link stays if both of its ends are in these steps.
  Profile WithSteps(std::vector<std::shared_ptr<const Step>> steps) const;

  // Bytes of memory per table, for `status`: (what, bytes).
  std::vector<std::pair<std::string, size_t>> MemoryUse() const;

 private:
  friend class ProfileBuilder;

  // Drops the links and intervals of steps that are not in the profile.
  void KeepTablesOfSteps();

  std::shared_ptr<const GraphTables> graph_;
  std::vector<std::shared_ptr<const Step>> steps_;
  // By node; may be shorter. nullptr: of none.
  std::shared_ptr<const std::vector<bool>> ran_elsewhere_;
  // By the input number of a RecordRef.
  std::vector<std::shared_ptr<const DetailReader>> inputs_;
  // nullptr: none.
  std::shared_ptr<const Links> links_;
  std::shared_ptr<const Counters> counters_;
  std::shared_ptr<const StepIntervals> step_intervals_;
  std::shared_ptr<const KernelCounters> kernel_counters_;
};

}  // namespace tfprof

#endif  // TFPROF_PROFILE_PROFILE_H_
