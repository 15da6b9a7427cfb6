// AccountingRules: the interface through which a ProfileBuilder asks which
// executions count, and as what. profile/ has no rules of its own; accounting/
// implements this interface.
//
// A builder calls it once per batch and once per step, never per record. Rules
// have no state and are constant; any number of threads may use them.

#ifndef TFPROF_PROFILE_ACCOUNTING_RULES_H_
#define TFPROF_PROFILE_ACCOUNTING_RULES_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "profile/execution_record.h"
#include "profile/profile.h"
#include "profile/steps/lane_events.h"
#include "profile/steps/step_sums.h"
#include "util/run/task_options.h"

namespace tfprof::profile {

// The decision about the records of some nodes in a batch.
struct Admission {
  // The position of a record in the batch.
  struct Position {
    size_t lane;  // index in the batch
    size_t record;
    friend auto operator<=>(const Position&, const Position&) = default;
  };

  std::vector<NodeId> placed;  // nodes that got a device, ascending
  // Records that remain facts, but are not executions of their node.
  std::vector<std::pair<Position, NamedExecution>> outside;
  // Records that would count if they had a start time.
  std::vector<Position> no_start;
  int64_t covered = 0;  // nodes that became kCovered
};

// The records of the nodes in `nodes`. Other threads may process other nodes of
// the same batch.
struct AdmissionRequest {
  const GraphTables& graph;
  std::span<LaneExecutions> batch;
  NodeRange nodes;
  // NodeTable::device, for writing; nullptr if PlacesNodes() returned false.
  std::vector<DeviceId>* device_of_node = nullptr;
  bool wants_no_start = false;   // fill Admission::no_start
  std::span<Coverage> coverage;  // indexed by node; may be empty
};

// All records to sum in a step.
struct StepRecords {
  const GraphTables& graph;
  util::TaskOptions work;
  std::span<const LaneExecutions> batches;  // the records' lanes are set
  std::span<const StepEvents> events;       // only if TakesEvents()
  std::span<const uint32_t> group_of_node;
  // All nodes, divided into one part per thread with about equally many
  // records.
  std::span<const NodeRange> parts;
};

class AccountingRules {
 public:
  virtual ~AccountingRules() = default;

  // Returns true if an execution with this name creates a node of that name
  // when none exists.
  virtual bool MakesNode(std::string_view name) const = 0;

  // Returns the duration to count for an execution with a recorded duration of
  // `ticks`.
  virtual int64_t CountedTicks(int64_t ticks,
                               int64_t ticks_per_micro) const = 0;

  // Returns true if Admit() would assign a device to some node.
  virtual bool PlacesNodes(const GraphTables& graph,
                           std::span<const LaneExecutions> batch) const = 0;

  // Processes the records of a batch in order. If a record remains an execution
  // of its node, sets its lane and adjusts the fields that do not count;
  // otherwise sets its lane to kNone.
  virtual Admission Admit(const AdmissionRequest& request) const = 0;

  // True if times exclude nested executions. Averages are then over all listed
  // steps.
  virtual bool SelfTimes() const { return false; }

  // True if Sum() also adds StepRecords::events. Then all events of a trace are
  // executions of their nodes, and Admit() does not see them.
  virtual bool TakesEvents() const { return false; }

  // Adds all records to the sums of their groups. The sums of times have the
  // ticks of `graph` (GraphTables::ticks_per_micro).
  virtual void Sum(const StepRecords& records,
                   std::span<GroupSums> sums) const = 0;
};

// Rules that count nothing: all executions stay with their nodes, and all sums
// are 0.
const AccountingRules& NoAccounting();

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_ACCOUNTING_RULES_H_
