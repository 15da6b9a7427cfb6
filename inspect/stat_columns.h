// The statistics of a node as columns: their names for programs, with the unit,
// and their titles for people.

#ifndef TFPROF_INSPECT_STAT_COLUMNS_H_
#define TFPROF_INSPECT_STAT_COLUMNS_H_

#include <string_view>

#include "exporters/data_table.h"
#include "profile/step.h"

namespace tfprof {

// kPeakBytes: "peak_bytes", "peak bytes", Unit::kBytes.
DataColumn StatColumn(Stat stat);

// "average of the steps", "step 3".
std::string StepText(int64_t step);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_STAT_COLUMNS_H_
