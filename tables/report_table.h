// A report of a view as a DataTable.
//
// The columns are those of -select, in the order of the text report: for each
// statistic what a row has itself and in total, `self_X` and `total_X`, where X
// is its name (accounting/statistics.h). A row of no node has no self
// value. That of a node which is not accounted, because its type does not match
// -account_type_regexes, is in no total; its `self_definitions` is missing.
// Numbers are those of the text, unrounded.
//
// The op view has `cumulative_X` instead of a total, as the text does: the sum
// over a row and those below it. It also has the shares of the sum over all
// rows, `self_X_share` and `cumulative_X_share`. That sum is in
// DataTable::totals.

#ifndef TFPROF_TABLES_REPORT_TABLE_H_
#define TFPROF_TABLES_REPORT_TABLE_H_

#include "profile/tensor_source.h"
#include "tables/data_table.h"
#include "views/report.h"

namespace tfprof {

// `report` and `tensors` (may be null) must outlive the table. With values of
// tensors its cells are for one thread.
DataTable ReportTable(const Report& report, const TensorSource* tensors);

}  // namespace tfprof

#endif  // TFPROF_TABLES_REPORT_TABLE_H_
