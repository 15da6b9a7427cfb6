#include "inspect/steps/step_memory.h"

#include <algorithm>

#include "accounting/counted_memory.h"
#include "util/run/threads.h"

namespace tfprof::inspect {
namespace {

// The ends of the names that the loaders give to counters of memory.
constexpr std::string_view kReserved = " reserved", kAllocated = " allocated",
                           kInUse = ": bytes in use";

}  // namespace

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

bool IsReserved(std::string_view counter) {
  return counter.ends_with(kReserved);
}

std::string_view AllocatorOf(std::string_view counter) {
  for (const std::string_view what : {kReserved, kAllocated, kInUse}) {
    if (!counter.ends_with(what)) continue;
    return counter.substr(0, counter.size() - what.size());
  }
  return counter;
}

std::optional<CounterPeak> PeakOf(const profile::Profile& profile,
                                  const profile::Counter& counter) {
  // Larger numbers cannot be bytes.
  constexpr double kMost = 9e18;
  if (counter.unit == profile::kNone ||
      profile.strings().Get(counter.unit) != "bytes") {
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

}  // namespace tfprof::inspect
