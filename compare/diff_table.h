// A Diff as a DataTable.
//
// Columns: `name`, `status` (new, gone, changed, same), `before_name` where
// some row was matched with one of another name, and for each statistic X of
// -select X_before, X_after, X_delta and X_change, the last one as a share of
// what was before: 0.2 is 20 % more; no value if there was nothing before. The
// totals of the two profiles are the facts total_X_before, total_X_after. Facts
// are for programs: people see only the rows, as in a view.

#ifndef TFPROF_COMPARE_DIFF_TABLE_H_
#define TFPROF_COMPARE_DIFF_TABLE_H_

#include <string>

#include "compare/diff.h"
#include "tables/data_table.h"

namespace tfprof {

// `base` is the name of the base. `diff` must outlive the table.
DataTable DiffTable(const Diff& diff, const std::string& base);

}  // namespace tfprof

#endif  // TFPROF_COMPARE_DIFF_TABLE_H_
