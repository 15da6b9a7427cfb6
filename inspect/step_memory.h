// The memory of a step, from its records.

#ifndef TFPROF_INSPECT_STEP_MEMORY_H_
#define TFPROF_INSPECT_STEP_MEMORY_H_

#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "util/work.h"

namespace tfprof {

struct MemoryPeak {
  // The most bytes that the allocator of a device had in use; 0: not recorded.
  int64_t allocator_bytes = 0;
  // The largest peak of one node.
  int64_t node_bytes = 0;
};

// The peaks by device, each of the nodes with this canonical device. Decodes
// every record of the step.
std::vector<MemoryPeak> MemoryPeaks(const Profile& profile, const Step& step);

// The same for several steps, on all cores.
std::vector<std::vector<MemoryPeak>> MemoryPeaks(
    const Profile& profile, const std::vector<const Step*>& steps,
    const Work& work);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_STEP_MEMORY_H_
