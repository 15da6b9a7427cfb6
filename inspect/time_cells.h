// Cells of times in ticks: microseconds for the reader, with as many decimals
// as the file has.

#ifndef TFPROF_INSPECT_TIME_CELLS_H_
#define TFPROF_INSPECT_TIME_CELLS_H_

#include <cstdint>

#include "tables/data_table.h"
#include "tables/stat_column.h"

namespace tfprof::inspect {

inline double TicksAsMicros(int64_t ticks, int64_t ticks_per_micro) {
  return static_cast<double>(ticks) / static_cast<double>(ticks_per_micro);
}

// The cell has no value if `known` is false.
inline tables::DataCell TicksCell(int64_t ticks, int64_t ticks_per_micro,
                                  bool known = true) {
  return known ? tables::TimeCell(ticks, ticks_per_micro) : tables::DataCell();
}

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_TIME_CELLS_H_
