#include "inspect/steps/step_memory.h"

#include <algorithm>

#include "accounting/counted_memory.h"
#include "util/run/threads.h"

namespace tfprof {

std::vector<MemoryPeak> MemoryPeaks(const Profile& profile, const Step& step) {
  std::vector<MemoryPeak> peaks(profile.devices().size());
  for (size_t g = 0; g < step.num_groups(); ++g) {
    const DeviceId device = profile.nodes().device[step.node[g]];
    if (device == kNone) continue;
    MemoryPeak& peak = peaks[device];
    peak.node_bytes =
        std::max<int64_t>(peak.node_bytes, step.sums.peak_bytes[g]);
    if (step.aggregated) continue;
    for (const MemoryDetail& m : CountedMemory(profile, step, g).memory) {
      peak.allocator_bytes =
          std::max(peak.allocator_bytes, m.allocator_bytes_in_use);
    }
  }
  return peaks;
}

std::vector<std::vector<MemoryPeak>> MemoryPeaks(
    const Profile& profile, const std::vector<const Step*>& steps,
    const Work& work) {
  std::vector<std::vector<MemoryPeak>> peaks(steps.size());
  ParallelFor(work, steps.size(),
              [&](size_t i) { peaks[i] = MemoryPeaks(profile, *steps[i]); });
  return peaks;
}

std::optional<CounterPeak> PeakOf(const Profile& profile,
                                  const Counter& counter) {
  // Larger numbers cannot be bytes.
  constexpr double kMost = 9e18;
  if (counter.unit == kNone || profile.strings().Get(counter.unit) != "bytes") {
    return std::nullopt;
  }
  CounterPeak peak;
  double level = 0, highest = 0;
  for (size_t i = 0; i < counter.size(); ++i) {
    level = LevelAfter(counter, i, level);
    if (level <= highest) continue;
    highest = level;
    peak.sample = i;
  }
  if (highest < 1 || highest > kMost) return std::nullopt;
  peak.bytes = static_cast<int64_t>(highest);
  return peak;
}

}  // namespace tfprof
