// Average: the cost of each operation over the steps of one run: how often it
// ran, the mean of its time in a step, and how much the time varies.

#ifndef TFPROF_INSPECT_STEPS_AVERAGE_H_
#define TFPROF_INSPECT_STEPS_AVERAGE_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// One row for each type of operation that ran, the longest total first, at most
// `max_rows` (0: all). If work ran on accelerators and on CPUs, a type has a
// row for each, and shares are of the time there. `run` selects the steps whose
// name begins with these words ("run 3" for "run 3, count 57"); empty: all
// listed steps.
//
// Only the steps in which an operation ran count for it. The deviation is the
// deviation of a sample (n - 1), and missing for one step. Times are
// microseconds.
//
// NotFound: no step belongs to this run; the message lists the runs.
absl::StatusOr<tables::DataTable> AverageTable(views::Views& views,
                                               std::string_view run,
                                               size_t max_rows);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_STEPS_AVERAGE_H_
