// The benchmark of traces: loads generated traces (traces.h), opens the op
// view, and shows the costs next to other readers of the same bytes.

#ifndef TFPROF_BENCH_TRACE_BENCH_H_
#define TFPROF_BENCH_TRACE_BENCH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "bench/traces.h"

namespace tfprof {

struct TraceSize {
  std::string name;
  TraceKind kind = TraceKind::kKineto;
  int64_t bytes = 0;
};

const std::vector<TraceSize>& TraceSizes();

// Writes the trace into `folder` if it does not exist. Ends the program if that
// fails.
void RunTraceSize(const TraceSize& size, const std::string& folder, int runs);

}  // namespace tfprof

#endif  // TFPROF_BENCH_TRACE_BENCH_H_
