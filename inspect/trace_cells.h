// Cells of times in ticks: microseconds for the reader, with as many decimals
// as the file has.

#ifndef TFPROF_INSPECT_TRACE_CELLS_H_
#define TFPROF_INSPECT_TRACE_CELLS_H_

#include <cstdint>

#include "tables/data_table.h"

namespace tfprof {

// Exact up to 2^53 ticks, which are 104 days of nanoseconds.
inline double TicksAsMicros(int64_t ticks, int64_t ticks_per_micro) {
  return static_cast<double>(ticks) / static_cast<double>(ticks_per_micro);
}

// No value if it is not known. A whole number where a tick is a microsecond.
inline DataCell TimeCell(int64_t ticks, int64_t ticks_per_micro,
                         bool known = true) {
  if (!known) return {};
  if (ticks_per_micro == 1) return ticks;
  return TicksAsMicros(ticks, ticks_per_micro);
}

// Nanoseconds as ticks.
inline int64_t NanosAsTicks(int64_t nanos, int64_t ticks_per_micro) {
  constexpr int64_t kNanos = 1000;
  return ticks_per_micro >= kNanos ? nanos * (ticks_per_micro / kNanos)
                                   : nanos / (kNanos / ticks_per_micro);
}

}  // namespace tfprof

#endif  // TFPROF_INSPECT_TRACE_CELLS_H_
