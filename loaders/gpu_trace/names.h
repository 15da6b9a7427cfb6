// What the names that profilers of GPUs record say.

#ifndef TFPROF_LOADERS_GPU_TRACE_NAMES_H_
#define TFPROF_LOADERS_GPU_TRACE_NAMES_H_

#include <cstdint>
#include <string_view>

#include "profile/transfer.h"

namespace tfprof::gpu_trace {

// The name of a call without the version of its interface:
// "cudaLaunchKernel" of "cudaLaunchKernel_v7000".
std::string_view CallName(std::string_view name);

// The operation in the text of a range. PyTorch appends details of the call:
// "aten::mm" of "aten::mm, seq = 3, op_id = 17".
std::string_view OperationOf(std::string_view text);

// The direction of a copy of CUPTI's kind.
profile::CopyKind CopyKindOf(int64_t kind);

}  // namespace tfprof::gpu_trace

#endif  // TFPROF_LOADERS_GPU_TRACE_NAMES_H_
