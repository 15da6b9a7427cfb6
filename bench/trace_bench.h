// The benchmark of traces: loads generated ones (traces.h), asks for the op
// view, and shows both beside other readers of the same bytes.

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

// Writes the trace into `folder` if it is not there. Ends the program if that
// fails.
void RunTraceSize(const TraceSize& size, const std::string& folder, int runs);

}  // namespace tfprof

#endif  // TFPROF_BENCH_TRACE_BENCH_H_
