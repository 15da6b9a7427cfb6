// Writes the XSpace of traces.h. Times are picoseconds.
//
// Each step runs one HLO program on every device. A TPU has lines of modules
// and ops, where a loop contains the ops after it; a GPU has two streams of
// kernels, which a thread of the host launches. The host has the program's
// Python calls, which contain the step, and ops of TensorFlow's executor. The
// metadata plane has the program itself. Events of the host have no stats or
// two, events of devices two to four.

#ifndef TFPROF_BENCH_XPLANE_TRACE_H_
#define TFPROF_BENCH_XPLANE_TRACE_H_

#include "bench/traces.h"
#include "util/files/sink.h"

namespace tfprof {

// Does not set TraceTotals::bytes. Needs as much memory as the largest plane.
TraceTotals WriteXPlaneTrace(const TraceShape& shape, util::Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_BENCH_XPLANE_TRACE_H_
