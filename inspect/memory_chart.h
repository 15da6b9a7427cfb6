// The parts of which memory.cc makes a chart: levels in records of executions
// (record_memory.cc) and counters (counter_memory.cc).

#ifndef TFPROF_INSPECT_MEMORY_CHART_H_
#define TFPROF_INSPECT_MEMORY_CHART_H_

#include <algorithm>
#include <vector>

#include "inspect/memory.h"

namespace tfprof {

// Adds the levels that records of these steps have. It comes before the other.
void AddAllocators(Views& views, const std::vector<const Step*>& steps,
                   MemoryChart& chart);
// Adds the counters in bytes; `step` may be nullptr: of the whole recording.
void AddCounterLevels(Views& views, const Step* step, MemoryChart& chart);

// The largest first, equal ones by name.
inline void SortHolders(std::vector<MemoryChart::Holder>& holders) {
  std::sort(holders.begin(), holders.end(),
            [](const MemoryChart::Holder& a, const MemoryChart::Holder& b) {
              return a.bytes != b.bytes ? a.bytes > b.bytes : a.name < b.name;
            });
}

}  // namespace tfprof

#endif  // TFPROF_INSPECT_MEMORY_CHART_H_
