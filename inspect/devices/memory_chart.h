// The steps in which memory.cc makes a chart: levels from records of executions
// (record_memory.cc), from counters (counter_memory.cc) and from memory
// snapshots (snapshot_memory.cc).

#ifndef TFPROF_INSPECT_DEVICES_MEMORY_CHART_H_
#define TFPROF_INSPECT_DEVICES_MEMORY_CHART_H_

#include <algorithm>
#include <vector>

#include "inspect/devices/memory.h"

namespace tfprof::inspect {

// Adds the levels in the records of these steps. Call it before
// AddCounterLevels().
void AddAllocators(views::Views& views,
                   const std::vector<const profile::Step*>& steps,
                   MemoryChart& chart);
// Adds the counters in bytes, for `step`, or for the whole recording if it is
// nullptr.
void AddCounterLevels(views::Views& views, const profile::Step* step,
                      MemoryChart& chart);

// Adds the levels, owners and segments of memory snapshots, the device with the
// largest reserve first.
void AddSnapshots(const profile::Profile& profile, MemoryChart& chart);

// Sorts the largest first, equal ones by name.
inline void SortHolders(std::vector<MemoryChart::Holder>& holders) {
  std::sort(holders.begin(), holders.end(),
            [](const MemoryChart::Holder& a, const MemoryChart::Holder& b) {
              return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
            });
}

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_DEVICES_MEMORY_CHART_H_
