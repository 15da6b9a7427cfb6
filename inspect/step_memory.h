// Memory of a step as its records tell it.

#ifndef TFPROF_INSPECT_STEP_MEMORY_H_
#define TFPROF_INSPECT_STEP_MEMORY_H_

#include <cstdint>
#include <vector>

#include "profile/profile.h"
#include "util/work.h"

namespace tfprof {

struct MemoryPeak {
  // What the allocator of a device had given out, at most; 0: not recorded.
  int64_t allocator_bytes = 0;
  // Of one node, the largest.
  int64_t node_bytes = 0;
};

// By device: the nodes whose home it is. Decodes every record of the step.
std::vector<MemoryPeak> MemoryPeaks(const Profile& profile, const Step& step);

// The same for several steps, on all cores.
std::vector<std::vector<MemoryPeak>> MemoryPeaks(
    const Profile& profile, const std::vector<const Step*>& steps,
    const Work& work);

}  // namespace tfprof

#endif  // TFPROF_INSPECT_STEP_MEMORY_H_
