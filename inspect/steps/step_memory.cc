#include "inspect/steps/step_memory.h"

#include <algorithm>

#include "accounting/counted_memory.h"
#include "util/run/threads.h"

namespace tfprof::inspect {
std::vector<MemoryPeak> MemoryPeaks(const profile::Profile& profile,
                                    const profile::Step& step) {
  std::vector<MemoryPeak> peaks(profile.devices().size());
  for (size_t g = 0; g < step.num_groups(); ++g) {
    const profile::DeviceId device = profile.nodes().device[step.node[g]];
    if (device == profile::kNone) continue;
    MemoryPeak& peak = peaks[device];
    peak.node_bytes = std::max(peak.node_bytes, PeakOfRun(step, g));
    if (step.aggregated) continue;
    for (const profile::MemoryDetail& m :
         accounting::CountedMemory(profile, step, g).memory) {
      peak.allocator_bytes =
          std::max(peak.allocator_bytes, m.allocator_bytes_in_use);
    }
  }
  return peaks;
}

std::vector<std::vector<MemoryPeak>> MemoryPeaks(
    const profile::Profile& profile,
    const std::vector<const profile::Step*>& steps,
    const util::TaskOptions& work) {
  std::vector<std::vector<MemoryPeak>> peaks(steps.size());
  util::ParallelFor(work, steps.size(), [&](size_t i) {
    peaks[i] = MemoryPeaks(profile, *steps[i]);
  });
  return peaks;
}

int64_t PeakOfRun(const profile::Step& step, size_t group) {
  return step.sums.peak_bytes[group] /
         std::max<int64_t>(1, step.sums.run_count[group]);
}

}  // namespace tfprof::inspect
