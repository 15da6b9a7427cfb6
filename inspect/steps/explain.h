// Explain: why a step, or an operation in a step, is slow. The answer is a
// chain from the whole to the cause: step, device, idle time, type of
// operation, operation, scope, line of code. Each link has its time, the kind
// of this time, its share of the step's wall time, and the command that shows
// it.
//
// A step is compared with the typical one (timeline/account/step_wall.h). If it
// is slower, the chain follows the additional time over the typical step;
// otherwise it follows the most time. That is time of accelerators in a step in
// which one works for half of the time or more, else the longer of both times.
// Waits and markers of steps are no links of it.
//
// The kinds of time: wall, busy and idle are times on a clock; a sum of op
// times adds up executions, even if they run at the same time; a cumulative
// time is such a sum including everything inside.

#ifndef TFPROF_INSPECT_STEPS_EXPLAIN_H_
#define TFPROF_INSPECT_STEPS_EXPLAIN_H_

#include <cstdint>
#include <string_view>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// The column of the table with the command that shows more about its row.
inline constexpr std::string_view kSeeColumn = "see";

// The step to explain by default: the typical one.
// FailedPrecondition: no step has a wall time.
absl::StatusOr<int64_t> StepToExplain(views::Views& views);

// The listed step in which a node takes the most time. FailedPrecondition: it
// ran in no listed step.
absl::StatusOr<int64_t> StepOfNode(views::Views& views, profile::NodeId node);

// `step` is a listed step. The chain leads through `node`; kNone: through the
// node with the most (additional) time. Times are microseconds.
tables::DataTable ExplainTable(views::Views& views, int64_t step,
                               profile::NodeId node);

// The account of a step (account_table.h) and the chain, with the facts "cause"
// and "do": what costs most and could be avoided, and how. A slow step is
// compared with the typical one.
tables::DataDocument ExplainDocument(views::Views& views, int64_t step);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_STEPS_EXPLAIN_H_
