// Writes the Kineto file of traces.h. Times are nanoseconds.
//
// A step is a forward pass on the main thread (for each layer a linear layer
// and a ReLU, inside modules and Python calls), followed by a backward pass on
// autograd's thread. Operators launch kernels on stream 7; every eighth layer
// reduces its gradients on stream 20, and a step begins with a copy to the
// device. Records look as in torch 2: one member on each line, three decimals,
// and records of the host before records of the device.

#ifndef TFPROF_BENCH_KINETO_TRACE_H_
#define TFPROF_BENCH_KINETO_TRACE_H_

#include "bench/traces.h"
#include "util/files/sink.h"

namespace tfprof {

// Does not set TraceTotals::bytes.
TraceTotals WriteKinetoTrace(const TraceShape& shape, util::Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_BENCH_KINETO_TRACE_H_
