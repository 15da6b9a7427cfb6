// The answer of `doctor`: a table of the findings of the health checkers.

#ifndef TFPROF_ADVISOR_HEALTH_TABLE_H_
#define TFPROF_ADVISOR_HEALTH_TABLE_H_

#include <string_view>

#include "advisor/advice.h"
#include "tables/data_table.h"

namespace tfprof::advisor {

// "ok", "warn", "bad": the table's word for a severity.
std::string_view HealthVerdict(Finding::Severity severity);

// One row for each finding, including good ones, in registry order. The facts
// count the verdicts. The table does not refer to `advice`.
tables::DataTable HealthTable(const Advice& advice);

// The first finding with the verdict "bad"; nullptr when there is none. Points
// into `advice`.
const Finding* FirstBad(const Advice& advice);

}  // namespace tfprof::advisor

#endif  // TFPROF_ADVISOR_HEALTH_TABLE_H_
