// Explain: why a step, or an operation in a step, is slow. The answer is a
// chain from the whole to the cause: step, device, idle time, type of
// operation, operation, scope, line of code. Each link has its time, what the
// time is, its share of the step's wall time, and the command that shows it.
//
// A step is compared with the typical one (timeline/step_wall.h). If it is the
// slower one, the chain follows what takes more time in it than in the typical
// step; otherwise what takes the most time.
//
// The kinds of time: wall, busy and idle are times on a clock; a sum of op
// times adds up executions, also of those that run at the same time; a
// cumulative time is such a sum over all that is inside.

#ifndef TFPROF_INSPECT_EXPLAIN_H_
#define TFPROF_INSPECT_EXPLAIN_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

// The column of the table with the command that shows more about its row.
inline constexpr std::string_view kSeeColumn = "see";

// The step to explain if the user names none: the odd one, or else the longest.
// FailedPrecondition: no step has a wall time.
absl::StatusOr<int64_t> StepToExplain(Views& views);

// The listed step in which a node takes the most time. FailedPrecondition: it
// ran in none.
absl::StatusOr<int64_t> StepOfNode(Views& views, NodeId node);

// `step` is a listed step. `node`: the chain goes through this node; kNone:
// through the one with the most (additional) time. Microseconds.
DataTable ExplainTable(Views& views, int64_t step, NodeId node);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_EXPLAIN_H_
