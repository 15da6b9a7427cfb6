// Makes the counted kernels into rows of the profile
// (profile/tables/kernel_counters.h).

#ifndef TFPROF_LOADERS_CTF_MODEL_COUNTER_MODEL_H_
#define TFPROF_LOADERS_CTF_MODEL_COUNTER_MODEL_H_

#include <functional>
#include <vector>

#include "loaders/core/counter_file.h"
#include "loaders/ctf/events/trace_facts.h"
#include "loaders/ctf/model/kernel_counts.h"
#include "profile/tables/kernel_counters.h"
#include "profile/tables/string_pool.h"

namespace tfprof::ctf {

// `strings` belongs to the profile. `place` returns all of a kernel in the
// profile except its name.
profile::KernelCounters ModelCounters(
    const TraceFacts& facts, const std::vector<CountedKernel>& counted,
    const std::vector<loaders::CounterFile>& files,
    profile::StringPool& strings,
    const std::function<profile::KernelCounters::Kernel(const CountedKernel&)>&
        place);

}  // namespace tfprof::ctf

#endif  // TFPROF_LOADERS_CTF_MODEL_COUNTER_MODEL_H_
