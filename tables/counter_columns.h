// Columns of the counters of kernels (profile/kernel_counters.h) for reports: a
// column for each counter in the op view, and two, of the row alone and with
// all below it, in the trees. A profile without such counters has none.

#ifndef TFPROF_TABLES_COUNTER_COLUMNS_H_
#define TFPROF_TABLES_COUNTER_COLUMNS_H_

#include <memory>
#include <string_view>
#include <vector>

#include "accounting/counter_sums.h"
#include "tables/data_table.h"
#include "views/report.h"

namespace tfprof {

// "total_counter_CacheHit", "CacheHit".
DataColumn CounterColumn(const Profile& profile, size_t counter,
                         std::string_view prefix);
DataCell CounterCell(const CounterSums& sums, const CounterSums::Row& row,
                     size_t counter);

// The sums of the rows of a report, by row.
struct ReportCounters {
  explicit ReportCounters(const Report& report);

  CounterSums sums;
  std::vector<CounterSums::Row> self;
  std::vector<CounterSums::Row> total;  // trees only
  CounterSums::Row all;                 // op view only
};

}  // namespace tfprof

#endif  // TFPROF_TABLES_COUNTER_COLUMNS_H_
