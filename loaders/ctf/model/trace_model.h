// Makes the profile of a trace: ops and kernels as executions on lanes, in
// steps, with links from ops to the kernels that they launched, and counters.
//
// The times of all hosts are converted to the clock of the first one. Work
// without a known clock is left out and logged.

#ifndef TFPROF_LOADERS_CTF_MODEL_TRACE_MODEL_H_
#define TFPROF_LOADERS_CTF_MODEL_TRACE_MODEL_H_

#include <cstdint>
#include <vector>

#include "loaders/core/counter_file.h"
#include "loaders/core/load_context.h"
#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/attribution.h"
#include "loaders/ctf/model/host_clocks.h"
#include "loaders/ctf/model/kernel_counts.h"

namespace tfprof::ctf {

// The ticks of the executions.
inline constexpr int64_t kCtfTicksPerMicro = 1000;

// Adds to the builder of `context`. All arguments belong to the same load.
void ModelTrace(const TraceFacts& facts, const Attribution& attribution,
                const std::vector<HostClock>& hosts,
                const CountedKernels& counted,
                const std::vector<loaders::CounterFile>& counter_files,
                loaders::LoadContext& context);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_TRACE_MODEL_H_
