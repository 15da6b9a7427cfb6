// Step: what ran in one step, and the reference's accounting of it.
//
// Executions are sorted by node, in the order of the inputs within a node; a
// *group* is the executions of one node. Group g holds the executions
// exec_begin(g) … exec_end(g) - 1, groups are in ascending node id, and each
// node has at most one. Accounting columns have one value per group.
//
// Times are microseconds: starts since the epoch, durations at least what was
// recorded (0 counts as 1). An execution that only says "was seen on this
// device" (no valid start time) has start 0 and duration 0.
//
// Which execution counts as what is the reference's rule: on a device with
// "stream:all" in its name it is accelerator time; on the node's canonical
// device it is CPU time, one run, and carries the memory; elsewhere it is kept
// as a fact but in no sum. Memory is the sum over the group.
//
// Records that the reference drops (of a node that first ran on another
// canonical device; named RecvTensor, _SOURCE or MEMCPY…) are facts too: they
// are in `unaccounted`, and no sum or view of the four has them.
//
// Immutable once built; shared between profiles that have the step in common.

#ifndef TFPROF_PROFILE_STEP_H_
#define TFPROF_PROFILE_STEP_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "profile/int_column.h"
#include "profile/node_table.h"

namespace tfprof {

struct Step {
  // An execution outside the accounting.
  struct Unaccounted {
    StringId name = kNone;  // of the record
    DeviceId device = kNone;
    int64_t start = 0;
    int64_t duration = 0;
    RecordRef record = kNoRecord;
  };

  int64_t id = 0;
  // False: a profile file has executions for this step, but does not list it.
  // Such a step is in the averages and cannot be selected.
  bool listed = true;
  // The executions were dropped to save memory; the accounting is all there.
  bool aggregated = false;

  // Groups.
  IntColumn node;        // ascending
  IntColumn first_exec;  // one entry more than groups
  IntColumn run_count;
  IntColumn accelerator_micros;
  IntColumn cpu_micros;
  IntColumn requested_bytes;
  IntColumn peak_bytes;
  IntColumn residual_bytes;
  IntColumn output_bytes;
  IntColumn start;  // earliest valid start; 0: none
  IntColumn end;    // latest end; 0: none

  // Executions. kNone as device: a record of memory that a saved profile has
  // for no run.
  IntColumn exec_device;
  IntColumn exec_start;
  IntColumn exec_duration;
  IntColumn exec_record;  // RecordRef

  std::vector<Unaccounted> unaccounted;

  size_t num_groups() const { return node.size(); }
  size_t num_executions() const { return exec_device.size(); }
  size_t exec_begin(size_t group) const { return first_exec[group]; }
  size_t exec_end(size_t group) const { return first_exec[group + 1]; }

  // The first group of a node that is not before `n`.
  size_t GroupAt(NodeId n) const {
    size_t low = 0, high = num_groups();
    while (low < high) {
      const size_t mid = (low + high) / 2;
      if (node[mid] < n) {
        low = mid + 1;
      } else {
        high = mid;
      }
    }
    return low;
  }
  // The group of a node; kNone: it did not run in this step.
  uint32_t FindGroup(NodeId n) const {
    const size_t group = GroupAt(n);
    return group < num_groups() && node[group] == n
               ? static_cast<uint32_t>(group)
               : kNone;
  }

  size_t bytes() const;

  // Gives the executions up.
  void DropExecutions();
};

}  // namespace tfprof

#endif  // TFPROF_PROFILE_STEP_H_
