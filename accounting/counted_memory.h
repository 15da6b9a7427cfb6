// CountedMemory: the detailed memory records of a group that count by the
// reference's rules: the records on the node's own device with a start time.
// StepSums has the sums of the same records.

#ifndef TFPROF_ACCOUNTING_COUNTED_MEMORY_H_
#define TFPROF_ACCOUNTING_COUNTED_MEMORY_H_

#include <cstddef>

#include "profile/details.h"
#include "profile/profile.h"

namespace tfprof::accounting {

// Returns the records in the order of the executions. It decodes records of the
// input, so it is too slow for a loop over all groups of a large profile.
profile::ExecutionDetail CountedMemory(const profile::Profile& profile,
                                       const profile::Step& step, size_t group);

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_COUNTED_MEMORY_H_
