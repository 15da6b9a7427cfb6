// A Diff as a DataTable.
//
// Columns: `name`, `status` (new, gone, changed, same), `before_name` if some
// row was matched with a row of another name, and for each statistic X of
// -select X_before, X_after, X_delta and X_change. X_change is a share of the
// value before: 0.2 is 20 % more; it has no value if there was nothing before.
// The facts total_X_before and total_X_after are the totals of the two
// profiles. Facts are for programs: people see only the rows, as in a view.

#ifndef TFPROF_COMPARE_DIFF_TABLE_H_
#define TFPROF_COMPARE_DIFF_TABLE_H_

#include <string>

#include "compare/diff.h"
#include "tables/data_table.h"

namespace tfprof::compare {

// `base` is the name of the base. `diff` must outlive the table.
tables::DataTable DiffTable(const Diff& diff, const std::string& base);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_DIFF_TABLE_H_
