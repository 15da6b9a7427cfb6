// The calls, ranges and work of devices in a profile, as the tables of
// gpu_trace.h, whatever format they come from. A loader that has only the
// operations of a run can take them as its own.

#ifndef TFPROF_LOADERS_GPU_TRACE_FROM_PROFILE_H_
#define TFPROF_LOADERS_GPU_TRACE_FROM_PROFILE_H_

#include <vector>

#include "loaders/gpu_trace/gpu_trace.h"
#include "profile/profile.h"
#include "profile/tables/string_pool.h"

namespace tfprof::gpu_trace {

// Returns a trace for each process that has work of a device, in ascending
// process. Their label is that of the process, or "process N". What repeats
// other lanes and what has no start is left out. Strings go to `strings`.
std::vector<GpuTrace> FromProfile(const profile::Profile& profile,
                                  profile::StringPool& strings);

}  // namespace tfprof::gpu_trace

#endif  // TFPROF_LOADERS_GPU_TRACE_FROM_PROFILE_H_
