// What it costs to load files, and what they then take.

#ifndef TFPROF_BENCH_MEASURE_LOAD_H_
#define TFPROF_BENCH_MEASURE_LOAD_H_

#include "bench/measure.h"
#include "loaders/load_request.h"

namespace tfprof {

// kAnon: bytes of memory that are in use after loading and were not before,
// pages of files not counted. kTables: those that the profile counts itself,
// kStrings among them.
struct LoadFigures {
  enum { kWall, kCpu, kAnon, kPeak, kExecutions, kTables, kStrings, kCount };
};

// Zeros, and the error on stderr, if nothing can be loaded.
Figures MeasureLoad(LoadRequest request, int threads);

}  // namespace tfprof

#endif  // TFPROF_BENCH_MEASURE_LOAD_H_
