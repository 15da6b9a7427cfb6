// Reads the SQLite export of Nsight Systems (`nsys export --type sqlite`).
//
// Tables and columns are found by name, because newer versions only add some.
// Kernels, copies, memsets, calls of the CUDA runtime and of the system, NVTX
// ranges and samples of the CPU are read; the rows of other tables of events
// are counted. A whole run of a graph is work only if its kernels are not in
// the file. A launch is a call of the same process with the same correlation
// id. Times are nanoseconds since the recording began. The rules come from the
// tables that the program writes and describes in its schema.

#ifndef TFPROF_LOADERS_NSYS_NSYS_H_
#define TFPROF_LOADERS_NSYS_NSYS_H_

#include <memory>

#include "absl/status/statusor.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/gpu_trace/gpu_trace.h"
#include "loaders/sqlite/database.h"

namespace tfprof::nsys {

// Returns whether the database is such an export.
bool IsNsys(const sqlite::Database& database);

// Damage is in the log of the context. An error means that nothing was usable.
absl::StatusOr<gpu_trace::GpuTrace> ReadNsys(
    std::shared_ptr<const loaders::InputFile> file, sqlite::Database& database,
    loaders::LoadContext& context);

}  // namespace tfprof::nsys

#endif  // TFPROF_LOADERS_NSYS_NSYS_H_
