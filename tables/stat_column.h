// A statistic as a column of a table: its name, title and unit.

#ifndef TFPROF_TABLES_STAT_COLUMN_H_
#define TFPROF_TABLES_STAT_COLUMN_H_

#include <cstdint>
#include <string_view>

#include "accounting/node_stats.h"
#include "accounting/statistics.h"
#include "profile/profile.h"
#include "tables/data_table.h"

namespace tfprof::tables {

// Returns a column such as "peak_bytes", "peak sum", Unit::kBytes for
// kPeakBytes. The name for programs begins with `prefix`, such as "total_".
DataColumn StatColumn(accounting::Stat stat, std::string_view prefix = "");

// Returns a value of Stats as a cell. Times in ticks shorter than microseconds
// have decimals, which are exact below 2^53 ticks.
DataCell StatCell(const profile::Profile& profile, accounting::Stat stat,
                  int64_t value);
// Returns the step number, or "all" for kAllSteps.
DataCell StepCell(int64_t step);
DataCell TimeCell(int64_t ticks, int64_t ticks_per_micro);

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_STAT_COLUMN_H_
