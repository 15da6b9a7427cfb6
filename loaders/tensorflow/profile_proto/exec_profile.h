// Decodes an ExecProfile of a ProfileProto: what a node did in one step. Times
// are in microseconds, as in the file.

#ifndef TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_EXEC_PROFILE_H_
#define TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_EXEC_PROFILE_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "profile/details.h"
#include "profile/profile_builder.h"

namespace tfprof::tensorflow {

// Fills `sums` (except the node) and appends at least one record to `records`
// (without a node, with `ref`), so that the group exists. Devices are interned
// in `devices`, in lower case; the lanes of records are device ids. A start of
// 0 or less counts as missing. Returns false if damaged.
[[nodiscard]] bool ReadExecProfile(
    std::string_view bytes, profile::RecordRef ref,
    profile::DeviceTable& devices, profile::GroupSums& sums,
    std::vector<profile::ExecutionRecord>& records);

// Reads the memory and the allocations of the step.
profile::ExecutionDetail ReadExecProfileDetail(std::string_view bytes);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_PROFILE_PROTO_EXEC_PROFILE_H_
