// The answer of `doctor`: a table of what the checkers of health found.

#ifndef TFPROF_ADVISOR_HEALTH_TABLE_H_
#define TFPROF_ADVISOR_HEALTH_TABLE_H_

#include <string_view>

#include "advisor/advice.h"
#include "tables/data_table.h"

namespace tfprof {

// "ok", "warn", "bad": the word of the table for a severity.
std::string_view HealthVerdict(Finding::Severity severity);

// A row for each finding, good ones too, in the order of the registry. Facts
// count the verdicts. The table does not refer to `advice`.
DataTable HealthTable(const Advice& advice);

// The first finding with the verdict "bad"; nullptr when there is none. Points
// into `advice`.
const Finding* FirstBad(const Advice& advice);

}  // namespace tfprof

#endif  // TFPROF_ADVISOR_HEALTH_TABLE_H_
