// Step: the executions of one step, and the sums of the accounting rules.
//
// Executions are sorted by node, and by input order within a node. A *group* is
// the executions of one node. Group g holds the executions exec_begin(g) …
// exec_end(g) - 1. Groups are in ascending node id, and each node has at most
// one. After the groups come the executions *outside* of groups: records that
// belong to no node, with their names. With the reference's rules
// (accounting/tfprof_rules.h), these are the records that do not count; they
// are in no sum and in none of the four views.
//
// Starts and durations are in ticks of the file (time_column.h). An execution
// that only shows that a node ran on a lane has no start (HasStart) and
// duration 0. The sums have one value per group, for the executions that count
// (step_sums.h).
//
// Immutable once built; shared between profiles that contain the step.

#ifndef TFPROF_PROFILE_STEPS_STEP_H_
#define TFPROF_PROFILE_STEPS_STEP_H_

#include <algorithm>
#include <cstdint>

#include "profile/steps/int_column.h"
#include "profile/steps/step_sums.h"
#include "profile/steps/time_column.h"
#include "profile/tables/lanes.h"
#include "profile/tables/node_table.h"

namespace tfprof::profile {

// The number of the pseudo step for executions outside of all steps of a trace.
// It is never listed.
inline constexpr int64_t kOutsideSteps = -1;

struct Step {
  int64_t id = 0;
  // False if a profile file has executions for this step but does not list it,
  // or if the step is kOutsideSteps. Such a step cannot be selected. The
  // reference's averages include it.
  bool listed = true;
  // The executions were dropped to save memory; the sums are complete.
  bool aggregated = false;

  // The columns of groups.
  IntColumn node;        // ascending
  IntColumn first_exec;  // one entry more than there are groups
  StepSums sums;

  // The columns of executions. Lane kNone: a memory record of a saved profile
  // that belongs to no run.
  IntColumn exec_lane;
  TimeColumn exec_start;  // any value if there is no start
  TimeColumn exec_duration;
  IntColumn exec_has_start;  // 0 or 1
  IntColumn exec_record;     // RecordRef
  IntColumn outside_name;    // StringId, for executions outside of groups

  size_t num_groups() const { return node.size(); }
  // The number of executions in groups. The executions num_executions() …
  // num_records() - 1 are outside of groups.
  size_t num_executions() const { return num_records() - num_outside(); }
  size_t num_outside() const { return outside_name.size(); }
  size_t num_records() const { return exec_lane.size(); }
  size_t exec_begin(size_t group) const { return first_exec[group]; }
  size_t exec_end(size_t group) const { return first_exec[group + 1]; }
  bool HasStart(size_t exec) const { return exec_has_start[exec] != 0; }
  bool HasSpan(size_t group) const { return sums.HasSpan(group); }
  LaneId LaneOf(size_t exec) const {
    return static_cast<LaneId>(exec_lane[exec]);
  }
  // Returns the name of an execution outside of groups.
  StringId OutsideName(size_t exec) const {
    return static_cast<StringId>(outside_name[exec - num_executions()]);
  }

  // Returns the first group whose node is `n` or larger.
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
  // Returns the group of a node; kNone if it did not run in this step.
  uint32_t FindGroup(NodeId n) const {
    const size_t group = GroupAt(n);
    return group < num_groups() && node[group] == n
               ? static_cast<uint32_t>(group)
               : kNone;
  }

  size_t bytes() const;

  // Drops the executions; the sums stay.
  void DropExecutions();
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_STEPS_STEP_H_
