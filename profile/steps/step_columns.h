// StepColumns: makes the columns of a step from the records that were added to
// a ProfileBuilder.
//
//   StepColumns columns(added, work, parallel);
//   if (!columns.Fill()) return;  // cancelled
//   std::move(columns).MoveTo(ticks_per_micro, step);
//
// Executions are sorted by node and keep their order within a node. Records
// that were loaded earlier come first, because their sums are known. This is a
// counting sort, because comparing ten million records would cost more than
// reading them. Each core writes the executions of some nodes: all cores scan
// all records, and no two write to the same place.
//
// The only error is a cancelled load, after which the columns are invalid.

#ifndef TFPROF_PROFILE_STEPS_STEP_COLUMNS_H_
#define TFPROF_PROFILE_STEPS_STEP_COLUMNS_H_

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "profile/accounting_rules.h"
#include "profile/execution_record.h"
#include "profile/profile.h"
#include "profile/steps/int_column.h"
#include "profile/steps/lane_events.h"
#include "profile/steps/step_sums.h"
#include "util/run/task_options.h"

namespace tfprof::profile {

// The data that was added to a step. All times have ticks of the same length.
// The referenced data must live until Fill() has returned.
struct AddedToStep {
  int64_t id;
  const GraphTables& graph;
  const AccountingRules& rules;
  // Executions of nodes: first those with known sums, then those of `batches`.
  std::span<const std::span<const ExecutionRecord>> records;
  // A node occurs at most once in each part.
  std::span<const std::span<const GroupSums>> known_sums;
  std::span<const LaneExecutions> batches;  // the rules sum these
  // Executions of no node, each with its ticks per microsecond.
  std::span<const std::pair<NamedExecution, int64_t>> outside;
  std::span<const StepEvents> events;
};

// The ranges of values in the columns of executions.
struct ExecutionRanges {
  IntRange lane, start, duration, record;
  bool any_start = false, any_without_start = false;

  template <typename Execution>
  void Add(const Execution& r) {
    lane.Add(r.lane);
    record.Add(static_cast<int64_t>(r.record));
    if (r.has_start()) {
      start.Add(r.start);
      duration.Add(r.duration);
      any_start = true;
    } else {
      duration.Add(0);
      any_without_start = true;
    }
  }
  void Add(const ExecutionRanges& other) {
    lane.Add(other.lane);
    start.Add(other.start);
    duration.Add(other.duration);
    record.Add(other.record);
    any_start |= other.any_start;
    any_without_start |= other.any_without_start;
  }
};

// Writes executions to their rows in the columns of a step.
class ExecutionWriter {
 public:
  ExecutionWriter(size_t size, const ExecutionRanges& ranges)
      : any_start_(ranges.start.low),
        lane_(size, ranges.lane),
        // If all starts are missing, any value will do.
        start_(size, ranges.start.empty()
                         ? IntRange{ranges.start.low, ranges.start.low}
                         : ranges.start),
        duration_(size, ranges.duration),
        has_start_(size, {!ranges.any_without_start, ranges.any_start}),
        record_(size, ranges.record) {}

  template <typename Execution>
  void Set(size_t e, const Execution& r) {
    const bool has_start = r.has_start();
    lane_.Set(e, r.lane);
    start_.Set(e, has_start ? r.start : any_start_);
    duration_.Set(e, has_start ? r.duration : 0);
    has_start_.Set(e, has_start);
    record_.Set(e, static_cast<int64_t>(r.record));
  }

  void Finish(int64_t ticks_per_micro, Step& step) && {
    step.exec_lane = std::move(lane_).Finish();
    step.exec_start = TimeColumn(std::move(start_).Finish(), ticks_per_micro);
    step.exec_duration =
        TimeColumn(std::move(duration_).Finish(), ticks_per_micro);
    step.exec_has_start = std::move(has_start_).Finish();
    step.exec_record = std::move(record_).Finish();
  }

 private:
  int64_t any_start_;
  IntColumnWriter lane_, start_, duration_, has_start_, record_;
};

class StepColumns {
 public:
  // `parallel`: use all cores of `work`.
  StepColumns(const AddedToStep& added, const util::TaskOptions& work,
              bool parallel);

  // Returns false if it was cancelled.
  bool Fill();
  // Call this after Fill() has returned true. The added data may be gone by
  // then.
  void MoveTo(int64_t ticks_per_micro, Step& step) &&;

 private:
  void CountExecutions();
  void CountPart(size_t part);
  void MakeGroups();
  void DivideNodes();
  void AddSums();
  void WriteOutside();
  void WriteExecutions();
  void WritePart(size_t part);

  const AddedToStep added_;
  util::TaskOptions work_;
  size_t num_parts_;
  // Indexed by node. First the number of executions of the previous node, then
  // the first row of the node, and during writing its next free row.
  std::vector<uint32_t> begin_;
  std::vector<ExecutionRanges> ranges_;  // indexed by part
  size_t num_outside_;
  size_t num_executions_ = 0;
  std::vector<uint32_t> group_of_;  // indexed by node
  std::vector<int64_t> first_exec_;
  std::vector<GroupSums> sums_;
  std::vector<NodeRange> parts_;
  std::optional<ExecutionWriter> writer_;
  std::vector<int64_t> outside_name_;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_STEPS_STEP_COLUMNS_H_
