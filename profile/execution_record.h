// ExecutionRecord: one execution as a loader reads it, before it goes into the
// columns of a step (step.h).
//
// Times are ticks; the batch defines the length of a tick. The four byte counts
// are those of this execution only; the accounting rules decide whether they
// count. A record has 64 bytes, because a loader temporarily holds millions of
// them.

#ifndef TFPROF_PROFILE_EXECUTION_RECORD_H_
#define TFPROF_PROFILE_EXECUTION_RECORD_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "profile/steps/time_column.h"
#include "profile/tables/lanes.h"
#include "profile/tables/node_table.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {

// The start of an execution that has no recorded start. No clock reaches this
// value. Columns have a flag instead (Step::HasStart).
inline constexpr int64_t kNoStart = std::numeric_limits<int64_t>::min();

struct ExecutionRecord {
  NodeId node = kNone;
  LaneId lane = kNone;  // kNone: only shows that the node ran in the step
  int64_t start = kNoStart;
  int64_t duration = 0;
  RecordRef record = kNoRecord;
  int64_t requested_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t residual_bytes = 0;
  int64_t output_bytes = 0;

  bool has_start() const { return start != kNoStart; }
};

// Executions on one lane, in file order. The lanes of the records are ignored.
struct LaneExecutions {
  LaneId lane = kNone;
  std::vector<ExecutionRecord> records;
  int64_t ticks_per_micro = 1;  // see time_column.h
  // The self time of each record in ticks, without nested records. Empty: the
  // self times are the durations.
  std::vector<int64_t> self = {};
  // False if the records are parts of runs that other records count, such as
  // the kernels of an op. Then only their time counts.
  bool are_runs = true;
};

// An execution that belongs to no node in its step.
struct NamedExecution {
  StringId name = kNone;  // the recorded name
  LaneId lane = kNone;
  int64_t start = kNoStart;
  int64_t duration = 0;
  RecordRef record = kNoRecord;

  bool has_start() const { return start != kNoStart; }
};

// Whether a node has executions in the inputs, for "run graph coverage".
enum class Coverage : uint8_t {
  kNone,
  kCovered,
  kMade,  // created by its next record, which is not coverage
};

// A range of consecutive nodes.
struct NodeRange {
  NodeId begin = 0, end = 0;
  bool Has(NodeId n) const { return n - begin < end - begin; }
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_EXECUTION_RECORD_H_
