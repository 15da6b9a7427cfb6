// CountedMemory: the memory of a group in detail, by the reference's rules: the
// records of the node's own device, of executions that have a start. StepSums
// has the sums of the same records.

#ifndef TFPROF_ACCOUNTING_COUNTED_MEMORY_H_
#define TFPROF_ACCOUNTING_COUNTED_MEMORY_H_

#include <cstddef>

#include "profile/details.h"
#include "profile/profile.h"

namespace tfprof {

// In the order of the executions. Decodes records of the input, so it is too
// slow for a loop over all groups of a large profile.
ExecutionDetail CountedMemory(const Profile& profile, const Step& step,
                              size_t group);

}  // namespace tfprof

#endif  // TFPROF_ACCOUNTING_COUNTED_MEMORY_H_
