// Converts a report of a view to a DataTable.
//
// The columns are those of -select, in the order of the text report. For each
// statistic X (its name in accounting/statistics.h), `self_X` is the value of
// the row itself and `total_X` its total. A row without a node has no self
// value. If a node is not accounted, because its type does not match
// -account_type_regexes, its self value is in no total, and its
// `self_definitions` is missing. Numbers are those of the text report,
// unrounded.
//
// Like the text report, the op view has `cumulative_X` instead of a total: the
// sum over a row and the rows below it. It also has the shares of the sum over
// all rows, `self_X_share` and `cumulative_X_share`. This sum is in
// DataTable::totals.

#ifndef TFPROF_TABLES_REPORT_TABLE_H_
#define TFPROF_TABLES_REPORT_TABLE_H_

#include "profile/tensor_source.h"
#include "tables/data_table.h"
#include "views/report.h"

namespace tfprof::tables {

// `report` and `tensors` (may be null) must outlive the table. If it shows
// tensor values, only one thread may use the table.
DataTable ReportTable(const views::Report& report,
                      const profile::TensorSource* tensors);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_REPORT_TABLE_H_
