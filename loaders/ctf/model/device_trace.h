// Makes the profile of a trace without operations: what programs did with
// devices, such as a recording of CUDA calls. Ranges and calls of interfaces
// are its operations, and work of a device belongs to them by the rules of
// gpu_trace.h. Without this, such a trace would have nothing to show, because
// work belongs to operations elsewhere.
//
// The times of all hosts are converted to the clock of the first one. Work
// without a known clock is left out and logged.

#ifndef TFPROF_LOADERS_CTF_MODEL_DEVICE_TRACE_H_
#define TFPROF_LOADERS_CTF_MODEL_DEVICE_TRACE_H_

#include <vector>

#include "loaders/core/counter_file.h"
#include "loaders/core/load_context.h"
#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/host_clocks.h"
#include "loaders/ctf/model/kernel_counts.h"

namespace tfprof::ctf {

// Returns whether a trace has calls or work of devices, but no operations.
bool IsDeviceTrace(const TraceFacts& facts);

// Adds the trace to the builder of `context`, which has nothing yet. All
// arguments belong to the same load.
void ModelDeviceTrace(const TraceFacts& facts,
                      const std::vector<HostClock>& hosts,
                      const CountedKernels& counted,
                      const std::vector<loaders::CounterFile>& counter_files,
                      loaders::LoadContext& context);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_DEVICE_TRACE_H_
