#include "accounting/counted_memory.h"

#include <iterator>
#include <utility>

namespace tfprof::accounting {

profile::ExecutionDetail CountedMemory(const profile::Profile& profile,
                                       const profile::Step& step,
                                       size_t group) {
  profile::ExecutionDetail all;
  const profile::DeviceId own = profile.nodes().device[step.node[group]];
  const bool on_cpu = own != profile::kNone && profile.devices()[own].on_cpu;
  for (size_t e = step.exec_begin(group); e < step.exec_end(group); ++e) {
    const auto record = static_cast<profile::RecordRef>(step.exec_record[e]);
    if (record == profile::kNoRecord) continue;
    if (profile.IsGroupRecord(record)) {
      // Check each record: several files can add to one step, so a group may
      // mix both kinds of records.
      if (e > step.exec_begin(group) &&
          step.exec_record[e - 1] == step.exec_record[e]) {
        continue;
      }
    } else if (!step.HasStart(e) || profile.device_of(step.LaneOf(e)) != own) {
      continue;
    }
    profile::ExecutionDetail one = profile.RecordDetail(record, on_cpu);
    std::move(one.memory.begin(), one.memory.end(),
              std::back_inserter(all.memory));
    all.allocations.insert(all.allocations.end(), one.allocations.begin(),
                           one.allocations.end());
  }
  return all;
}

}  // namespace tfprof::accounting
