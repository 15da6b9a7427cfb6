// Reads the JSON that rocprofv3 writes (--output-format json).
//
//   {"rocprofiler-sdk-tool": [{
//      "metadata": {"pid": …},
//      "agents": [{"id": {"handle": …}, "type": 2, "logical_node_id": …}],
//      "strings": {"buffer_records": [{"kind": …, "operations": […]}],
//                  "marker_api": [{"key": …, "value": …}]},
//      "kernel_symbols": [{"kernel_id": …, "formatted_kernel_name": …}],
//      "buffer_records": {"kernel_dispatch": […], "memory_copy": […],
//                         "hip_api": […], "hsa_api": […], "marker_api": […]}}]}
//
// Members may be in any order. The file is read once, from its beginning to its
// end, and memory is in proportion to its records. A device is the
// logical_node_id of an agent. A launch is a call of HIP or HSA with the same
// correlation_id.internal. A copy is on its destination if that is a GPU, else
// on its source. Ranges have their texts in strings.marker_api. Times are
// nanoseconds. The rules come from what rocprofv3 writes.

#ifndef TFPROF_LOADERS_ROCPROF_TOOL_JSON_H_
#define TFPROF_LOADERS_ROCPROF_TOOL_JSON_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "loaders/core/byte_notes.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/gpu_trace/gpu_trace.h"

namespace tfprof::rocprof {

// Returns whether a text begins a JSON object that has the member
// "rocprofiler-sdk-tool". Looks at its first 4 MiB.
bool LooksLikeToolJson(std::string_view bytes);

// Damage is in the log of the context, and what comes before it is kept.
// Errors: InvalidArgument if that is nothing; Cancelled. `notes`: for an
// account.
absl::StatusOr<gpu_trace::GpuTrace> ReadToolJson(
    std::shared_ptr<const loaders::InputFile> file,
    loaders::LoadContext& context, loaders::ByteNotes* notes = nullptr);

}  // namespace tfprof::rocprof

#endif  // TFPROF_LOADERS_ROCPROF_TOOL_JSON_H_
