// The memory of a step, from its records.

#ifndef TFPROF_INSPECT_STEPS_STEP_MEMORY_H_
#define TFPROF_INSPECT_STEPS_STEP_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "util/run/task_options.h"

namespace tfprof::inspect {

struct MemoryPeak {
  // The most bytes that the allocator of a device had in use; 0: not recorded.
  int64_t allocator_bytes = 0;
  // The largest peak of one node.
  int64_t node_bytes = 0;
};

// The peaks by device, from the nodes whose canonical device it is. Decodes
// every record of the step.
std::vector<MemoryPeak> MemoryPeaks(const profile::Profile& profile,
                                    const profile::Step& step);

// The same for several steps, on all cores.
std::vector<std::vector<MemoryPeak>> MemoryPeaks(
    const profile::Profile& profile,
    const std::vector<const profile::Step*>& steps,
    const util::TaskOptions& work);

// The peak of one run of a group: the mean of its runs, because their sum was
// never allocated at once.
int64_t PeakOfRun(const profile::Step& step, size_t group);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_STEPS_STEP_MEMORY_H_
