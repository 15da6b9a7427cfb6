// What a trace says as a profile: ops and kernels as executions on lanes, in
// steps, with links from ops to the kernels that they launched, and counters.
//
// Times of all hosts are brought to the clock of the first one. What has no
// clock is left out, and the log says so.

#ifndef TFPROF_LOADERS_CTF_TRACE_MODEL_H_
#define TFPROF_LOADERS_CTF_TRACE_MODEL_H_

#include <vector>

#include "loaders/counter_file.h"
#include "loaders/ctf/attribution.h"
#include "loaders/ctf/host_clocks.h"
#include "loaders/ctf/kernel_counts.h"
#include "loaders/ctf/trace_facts.h"
#include "loaders/load_context.h"

namespace tfprof::ctf {

// Adds to the builder of `context`. All arguments are about one load.
void ModelTrace(const TraceFacts& facts, const Attribution& attribution,
                const std::vector<HostClock>& hosts,
                const CountedKernels& counted,
                const std::vector<CounterFile>& counter_files,
                LoadContext& context);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_TRACE_MODEL_H_
