// Average: what each operation costs over the steps of one run: how often it
// ran, the mean of its time in a step, and how much that varies.

#ifndef TFPROF_INSPECT_AVERAGE_H_
#define TFPROF_INSPECT_AVERAGE_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof {

// A row for each type of operation that ran, those with the most time first, at
// most `max_rows` (0: all). `run`: only the steps whose name begins with these
// words ("run 3" of "run 3, count 57"); empty: all listed steps.
//
// A step in which an operation did not run is not among its steps, so that a
// mean is that of the steps that have it. The deviation is that of a sample
// (n - 1), and missing for one step. Microseconds.
//
// NotFound: no step is of this run; the message names those that there are.
absl::StatusOr<DataTable> AverageTable(Views& views, std::string_view run,
                                       size_t max_rows);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_AVERAGE_H_
