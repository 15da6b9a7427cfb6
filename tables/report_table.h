// A report of a view as a DataTable.
//
// The columns are those of -select, in the order of the text report: for each
// statistic what a row has itself and in total, `self_X` and `total_X`, where X
// is its word in -select; in the op view also their shares of the report's
// total, `self_X_share` and `total_X_share`. The self value of a row that is
// not accounted is nothing. Numbers are those of the text, unrounded.
//
// In the op view a total is, as in the text, the sum over a row and those after
// it; the sum over all is in DataTable::totals.

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
