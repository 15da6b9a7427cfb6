// ExecutionRecord: one execution as a loader reads it, before it goes into the
// columns of a step (step.h).
//
// Times are ticks; the batch has the length of a tick. The four byte counts are
// those of this scheduling; the accounting rules decide whether they count. A
// record has 64 bytes, because a loader holds millions of them for a moment.

#ifndef TFPROF_PROFILE_EXECUTION_RECORD_H_
#define TFPROF_PROFILE_EXECUTION_RECORD_H_

#include <cstdint>
#include <limits>
#include <vector>

#include "profile/lanes.h"
#include "profile/node_table.h"
#include "profile/string_pool.h"
#include "profile/time_column.h"

namespace tfprof {

// The start of an execution without a recorded start. No clock reaches this
// value. Columns have a flag instead (Step::HasStart).
inline constexpr int64_t kNoStart = std::numeric_limits<int64_t>::min();

struct ExecutionRecord {
  NodeId node = kNone;
  LaneId lane = kNone;  // kNone: only ties the node to the step
  int64_t start = kNoStart;
  int64_t duration = 0;
  RecordRef record = kNoRecord;
  int64_t requested_bytes = 0;
  int64_t peak_bytes = 0;
  int64_t residual_bytes = 0;
  int64_t output_bytes = 0;

  bool has_start() const { return start != kNoStart; }
};

// Executions on one lane, in the order of the file; `lane` of the records is
// not read.
struct LaneExecutions {
  LaneId lane = kNone;
  std::vector<ExecutionRecord> records;
  int64_t ticks_per_micro = 1;  // see time_column.h
  // By record: the ticks that it did not spend in records inside it. Empty: all
  // of its duration.
  std::vector<int64_t> self = {};
  // False: the records are parts of runs that other records count, such as the
  // kernels of an op. Only their time counts.
  bool are_runs = true;
};

// An execution that belongs to no node of its step.
struct NamedExecution {
  StringId name = kNone;  // of the record
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
  kMade,  // made by its next record, which does not count as coverage
};

// Consecutive nodes.
struct NodeRange {
  NodeId begin = 0, end = 0;
  bool Has(NodeId n) const { return n - begin < end - begin; }
};

}  // namespace tfprof

#endif  // TFPROF_PROFILE_EXECUTION_RECORD_H_
