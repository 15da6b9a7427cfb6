// Columns of kernel counters (profile/tables/kernel_counters.h) for reports.
// The op view has one column for each counter; tree views have two, for the row
// alone and including all rows below it. A profile without kernel counters has
// no such columns.

#ifndef TFPROF_TABLES_COUNTER_COLUMNS_H_
#define TFPROF_TABLES_COUNTER_COLUMNS_H_

#include <memory>
#include <string_view>
#include <vector>

#include "accounting/counter_sums.h"
#include "tables/data_table.h"
#include "views/report.h"

namespace tfprof::tables {

// Returns the column with the name "total_counter_CacheHit" and the title
// "CacheHit".
DataColumn CounterColumn(const profile::Profile& profile, size_t counter,
                         std::string_view prefix);
DataCell CounterCell(const accounting::CounterSums& sums,
                     const accounting::CounterSums::Row& row, size_t counter);

// The sums for each row of a report.
struct ReportCounters {
  explicit ReportCounters(const views::Report& report);

  accounting::CounterSums sums;
  std::vector<accounting::CounterSums::Row> self;
  std::vector<accounting::CounterSums::Row> total;  // trees only
  accounting::CounterSums::Row all;                 // op view only
};

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_COUNTER_COLUMNS_H_
