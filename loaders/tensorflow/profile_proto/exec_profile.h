// Decodes an ExecProfile: what a node did in one step, in a ProfileProto.

#ifndef TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_EXEC_PROFILE_H_
#define TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_EXEC_PROFILE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/details.h"
#include "profile/profile_builder.h"

namespace tfprof {

// Fills `sums` (all but the node) and appends to `records` (without a node,
// with `ref`); at least one record, so that the group exists. Devices are
// interned in `devices`, in lower case; lanes of records are their ids in it. A
// start of 0 or less is a missing one. False: damaged.
[[nodiscard]] bool ReadExecProfile(std::string_view bytes, RecordRef ref,
                                   DeviceTable& devices, GroupSums& sums,
                                   std::vector<ExecutionRecord>& records);

// Memory and allocations of the step.
ExecutionDetail ReadExecProfileDetail(std::string_view bytes);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_EXEC_PROFILE_H_
