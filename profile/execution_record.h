// ExecutionRecord: one execution as a loader met it, on its way into the
// columns of a step (step.h).
//
// Times are ticks, and a batch says how long its tick is. The four byte counts
// are those of this scheduling; whether they count is for the accounting rules
// to say. 64 bytes: a loader holds millions of them for a moment.

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

// In place of the start of an execution whose start nobody recorded. No clock
// reaches it; columns have a flag instead (Step::HasStart).
inline constexpr int64_t kNoStart = std::numeric_limits<int64_t>::min();

struct ExecutionRecord {
  NodeId node = kNone;
  LaneId lane = kNone;  // kNone: only says that the node has this step
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
  int64_t nanos_per_tick = kNanosPerMicro;
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

// Whether executions of a node were met, for "run graph coverage".
enum class Coverage : uint8_t {
  kNone,
  kCovered,
  kMade,  // by the record that comes next, which does not cover it
};

// Consecutive nodes.
struct NodeRange {
  NodeId begin = 0, end = 0;
  bool Has(NodeId n) const { return n - begin < end - begin; }
};

}  // namespace tfprof

#endif  // TFPROF_PROFILE_EXECUTION_RECORD_H_
