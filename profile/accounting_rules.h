// AccountingRules: the interface that tells a ProfileBuilder which executions
// count, and as what. profile/ has no rules of its own; accounting/ implements
// this interface.
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
#include "profile/lane_events.h"
#include "profile/profile.h"
#include "profile/step_sums.h"
#include "util/work.h"

namespace tfprof {

// The decision about the records of some nodes in a batch.
struct Admission {
  // The place of a record in the batch.
  struct Position {
    size_t lane;  // in the order of the batch
    size_t record;
    friend auto operator<=>(const Position&, const Position&) = default;
  };

  std::vector<NodeId> placed;  // nodes that got their device here, ascending
  // Records that stay as facts, but not as executions of their node.
  std::vector<std::pair<Position, NamedExecution>> outside;
  // Records that would count if they had a start.
  std::vector<Position> no_start;
  int64_t covered = 0;  // nodes that became kCovered
};

// A batch, or the part of it that one thread works on: the records of the nodes
// in `nodes`. Other threads work on the other nodes of the same batch.
struct AdmissionRequest {
  const GraphTables& graph;
  std::span<LaneExecutions> batch;
  NodeRange nodes;
  // NodeTable::device, to write to; nullptr if PlacesNodes() was false.
  std::vector<DeviceId>* device_of_node = nullptr;
  bool wants_no_start = false;   // fill Admission::no_start
  std::span<Coverage> coverage;  // by node; may be empty
};

// All records of a step that are to be summed.
struct StepRecords {
  const GraphTables& graph;
  Work work;
  std::span<const LaneExecutions> batches;  // `lane` of the records is valid
  std::span<const StepEvents> events;       // only if TakesEvents()
  std::span<const uint32_t> group_of_node;
  // All nodes, in parts with about as many records each: one for each thread.
  std::span<const NodeRange> parts;
};

class AccountingRules {
 public:
  virtual ~AccountingRules() = default;

  // Whether an execution adds a node of its name if there is none.
  virtual bool MakesNode(std::string_view name) const = 0;

  // The duration that counts for an execution of the recorded duration `ticks`.
  virtual int64_t CountedTicks(int64_t ticks,
                               int64_t ticks_per_micro) const = 0;

  // Whether Admit would give a device to some node.
  virtual bool PlacesNodes(const GraphTables& graph,
                           std::span<const LaneExecutions> batch) const = 0;

  // Looks at the records of a batch in their order. Sets the lane of each
  // record that stays an execution of its node, and changes what does not
  // count in it; the lanes of others are kNone.
  virtual Admission Admit(const AdmissionRequest& request) const = 0;

  // The times are those that executions spent in themselves, without the
  // executions inside them. Averages are then over all listed steps.
  virtual bool SelfTimes() const { return false; }

  // Whether Sum() adds StepRecords::events too. Then all events of a trace are
  // executions of their nodes, and Admit() is not asked about them.
  virtual bool TakesEvents() const { return false; }

  // Adds all records to the sums of their groups. Sums of times are in ticks of
  // `graph` (GraphTables::ticks_per_micro).
  virtual void Sum(const StepRecords& records,
                   std::span<GroupSums> sums) const = 0;
};

// Facts only: all executions stay with their nodes, and all sums are 0.
const AccountingRules& NoAccounting();

}  // namespace tfprof

#endif  // TFPROF_PROFILE_ACCOUNTING_RULES_H_
