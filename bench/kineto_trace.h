// The Kineto file of traces.h.
//
// A step is a forward pass on the main thread, a linear layer and a ReLU for
// each layer, inside its modules and Python calls, and then a backward pass on
// autograd's thread. Operators launch kernels on stream 7; every eighth layer
// reduces its gradients on stream 20, and a step begins with a copy to the
// device. Records look as torch 2 writes them: a member a line, three decimals,
// and those of the host before those of the device.

#ifndef TFPROF_BENCH_KINETO_TRACE_H_
#define TFPROF_BENCH_KINETO_TRACE_H_

#include "bench/traces.h"
#include "util/sink.h"

namespace tfprof {

// Does not set TraceTotals::bytes.
TraceTotals WriteKinetoTrace(const TraceShape& shape, Sink& sink);

}  // namespace tfprof

#endif  // TFPROF_BENCH_KINETO_TRACE_H_
