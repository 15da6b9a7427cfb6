// CountedMemory: the memory of a group in detail, by the reference's rules:
// what the node's own device recorded, of executions that have a start. The
// sums of StepSums are of the same records.

#ifndef TFPROF_ACCOUNTING_COUNTED_MEMORY_H_
#define TFPROF_ACCOUNTING_COUNTED_MEMORY_H_

#include <cstddef>

#include "profile/details.h"
#include "profile/profile.h"

namespace tfprof {

// In the order of the executions; decoded from the input, so not for loops over
// all groups of large profiles.
ExecutionDetail CountedMemory(const Profile& profile, const Step& step,
                              size_t group);

}  // namespace tfprof

#endif  // TFPROF_ACCOUNTING_COUNTED_MEMORY_H_
