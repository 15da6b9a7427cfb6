// Step: the executions of one step, and the sums of the accounting rules.
//
// Executions are sorted by node, and within a node in the order of the inputs.
// A *group* is the executions of one node. Group g holds the executions
// exec_begin(g) … exec_end(g) - 1. Groups are in ascending node id, and each
// node has at most one. After the groups come the executions *outside* of them:
// records that belong to no node, with their names. With the reference's rules
// (accounting/tfprof_rules.h) those are the records that do not count; no sum
// and none of the four views has them.
//
// Starts and durations are in ticks of the file (time_column.h). An execution
// that only says "was seen on this lane" has no start (HasStart) and duration
// 0. The sums have one value per group, of the executions that count
// (step_sums.h).
//
// Immutable once built; shared between profiles that have the step in common.

#ifndef TFPROF_PROFILE_STEP_H_
#define TFPROF_PROFILE_STEP_H_

#include <algorithm>
#include <cstdint>

#include "profile/int_column.h"
#include "profile/lanes.h"
#include "profile/node_table.h"
#include "profile/step_sums.h"
#include "profile/time_column.h"

namespace tfprof {

// The number of the step that holds what ran in no step of a trace. It is never
// listed.
inline constexpr int64_t kOutsideSteps = -1;

struct Step {
  int64_t id = 0;
  // False: a profile file has executions for this step, but does not list it,
  // or the step is kOutsideSteps. Such a step cannot be selected. The
  // reference's averages include it.
  bool listed = true;
  // The executions were dropped to save memory; the sums are all there.
  bool aggregated = false;

  // Groups.
  IntColumn node;        // ascending
  IntColumn first_exec;  // one entry more than groups
  StepSums sums;

  // Executions. Lane kNone: a memory record of a saved profile that belongs to
  // no run.
  IntColumn exec_lane;
  TimeColumn exec_start;  // any value where there is no start
  TimeColumn exec_duration;
  IntColumn exec_has_start;  // 0 or 1
  IntColumn exec_record;     // RecordRef
  IntColumn outside_name;    // StringId, of those outside of groups

  size_t num_groups() const { return node.size(); }
  // The number of executions in groups. Those from num_executions() to
  // num_records() - 1 are outside.
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
  // The name of an execution outside of groups.
  StringId OutsideName(size_t exec) const {
    return static_cast<StringId>(outside_name[exec - num_executions()]);
  }

  // The first group whose node is `n` or larger.
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

  // Drops the executions; the sums stay.
  void DropExecutions();
};

}  // namespace tfprof

#endif  // TFPROF_PROFILE_STEP_H_
