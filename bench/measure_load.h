// Measures the time and the memory of loading files, in seconds and bytes.

#ifndef TFPROF_BENCH_MEASURE_LOAD_H_
#define TFPROF_BENCH_MEASURE_LOAD_H_

#include "bench/measure.h"
#include "loaders/core/load_request.h"

namespace tfprof {

// kAnon: additional memory after loading, without pages of files. kTables:
// memory that the profile itself counts, including kStrings.
struct LoadFigures {
  enum { kWall, kCpu, kAnon, kPeak, kExecutions, kTables, kStrings, kCount };
};

// Returns zeros, and prints the error to stderr, if nothing can be loaded.
Figures MeasureLoad(loaders::LoadRequest request, int threads);

}  // namespace tfprof

#endif  // TFPROF_BENCH_MEASURE_LOAD_H_
