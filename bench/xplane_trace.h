// The XSpace of traces.h.
//
// Each step runs one HLO program on every device. A TPU has the lines of
// modules and ops, in which a loop contains the next ops; a GPU has two streams
// of kernels, whose launches are in a thread of the host. The host has the
// program's Python calls with the step in them, and ops of TensorFlow's
// executor. The plane of metadata has the program itself. Host events have two
// stats or none, those of devices two to four.

#ifndef TFPROF_BENCH_XPLANE_TRACE_H_
#define TFPROF_BENCH_XPLANE_TRACE_H_

#include "bench/traces.h"
#include "util/sink.h"

namespace tfprof {

// Does not set TraceTotals::bytes. Takes as much memory as a plane has bytes.
TraceTotals WriteXPlaneTrace(const TraceShape& shape, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_BENCH_XPLANE_TRACE_H_
