// Ranks in one recording: a profiler that starts torchrun records all of its
// processes in one file.

#ifndef TFPROF_LOADERS_GPU_TRACE_RANK_TRACES_H_
#define TFPROF_LOADERS_GPU_TRACE_RANK_TRACES_H_

#include <vector>

#include "loaders/gpu_trace/gpu_trace.h"

namespace tfprof::gpu_trace {

// Replaces a trace in which several processes communicate, each on devices of
// its own, by one trace for each of them, called "process N" (after the name of
// the file, if there are several files). Another process, such as one that
// reads input, belongs to the rank with the largest number below its own, which
// started it.
std::vector<GpuTrace> SplitRanks(std::vector<GpuTrace> traces);

}  // namespace tfprof::gpu_trace

#endif  // TFPROF_LOADERS_GPU_TRACE_RANK_TRACES_H_
