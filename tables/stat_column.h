// A statistic as a column of a table: its name, title and unit.

#ifndef TFPROF_TABLES_STAT_COLUMN_H_
#define TFPROF_TABLES_STAT_COLUMN_H_

#include <cstdint>
#include <string_view>

#include "accounting/node_stats.h"
#include "accounting/statistics.h"
#include "profile/profile.h"
#include "tables/data_table.h"

namespace tfprof {

// kPeakBytes: "peak_bytes", "peak", Unit::kBytes. `prefix` goes before the name
// for programs: "total_".
DataColumn StatColumn(Stat stat, std::string_view prefix = "");

// A value of Stats as a cell. Times of a profile with shorter ticks than
// microseconds have decimals; their digits are exact below 2^53 ticks.
DataCell StatCell(const Profile& profile, Stat stat, int64_t value);
// The number of a step, or "all" for kAllSteps.
DataCell StepCell(int64_t step);
DataCell TimeCell(int64_t ticks, int64_t ticks_per_micro);

}  // namespace tfprof

#endif  // TFPROF_TABLES_STAT_COLUMN_H_
