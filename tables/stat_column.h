// A statistic as a column of a table: its name, title and unit.

#ifndef TFPROF_TABLES_STAT_COLUMN_H_
#define TFPROF_TABLES_STAT_COLUMN_H_

#include <string_view>

#include "accounting/statistics.h"
#include "tables/data_table.h"

namespace tfprof {

// kPeakBytes: "peak_bytes", "peak", Unit::kBytes. `prefix` goes before the name
// for programs: "total_".
DataColumn StatColumn(Stat stat, std::string_view prefix = "");

}  // namespace tfprof

#endif  // TFPROF_TABLES_STAT_COLUMN_H_
