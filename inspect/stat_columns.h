// The statistics of a node as columns: their names for programs, with the unit,
// and their titles for people.

#ifndef TFPROF_INSPECT_STAT_COLUMNS_H_
#define TFPROF_INSPECT_STAT_COLUMNS_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "accounting/statistics.h"
#include "tables/data_table.h"

namespace tfprof {

// kPeakBytes: "peak_bytes", "peak bytes", Unit::kBytes.
DataColumn StatColumn(Stat stat);

// "average of the steps", "step 3".
std::string StepText(int64_t step);

// The step that all of an answer is of, as programs know it from the reports:
// "step", -1 for the average; and under `title` for people, in words.
void AddStepFacts(std::string_view title, int64_t step, std::string_view words,
                  DataFacts* facts);
void AddStepFacts(std::string_view title, int64_t step, DataFacts* facts);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_STAT_COLUMNS_H_
