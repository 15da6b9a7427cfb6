// The memory of a step, from its records, and the levels of memory counters.

#ifndef TFPROF_INSPECT_STEPS_STEP_MEMORY_H_
#define TFPROF_INSPECT_STEPS_STEP_MEMORY_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
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

// An allocator can have two counters: "gpu:0 allocated" is in use, and
// "gpu:0 reserved" is what it has from the device, used or not.
bool IsReserved(std::string_view counter);
// The name without what it counts: "gpu:0".
std::string_view AllocatorOf(std::string_view counter);

// The highest level of a counter in bytes, and the first sample that reached
// it. nullopt: the counter is not in bytes, or never above 0.
struct CounterPeak {
  int64_t bytes = 0;
  size_t sample = 0;
};
std::optional<CounterPeak> PeakOf(const profile::Profile& profile,
                                  const profile::Counter& counter);

// The level after a sample, if it was `level` before.
inline double LevelAfter(const profile::Counter& counter, size_t sample,
                         double level) {
  return counter.kind == profile::Counter::Kind::kChange
             ? level + counter.value[sample]
             : counter.value[sample];
}

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_STEPS_STEP_MEMORY_H_
