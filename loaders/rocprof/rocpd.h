// Reads the databases of AMD's profilers: rocpd, which rocprofv3 writes (.db),
// and the older format of rocmProfileData (.rpd).
//
// The tables of rocpd end in the id of a run, and the plain names are views,
// which are not read. A file may have several runs. A launch is the call whose
// event has the same stack id, in rpd the call that rocpd_api_ops names.
// Barriers of rpd are no work. Times are nanoseconds. The rules come from the
// tables that these programs write.

#ifndef TFPROF_LOADERS_ROCPROF_ROCPD_H_
#define TFPROF_LOADERS_ROCPROF_ROCPD_H_

#include <memory>

#include "absl/status/statusor.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/gpu_trace/gpu_trace.h"
#include "loaders/sqlite/database.h"

namespace tfprof::rocprof {

// Return whether the database has the tables of rocpd, or of rpd.
bool IsRocpd(const sqlite::Database& database);
bool IsRpd(const sqlite::Database& database);

// Damage is in the log of the context. An error means that nothing was usable.
absl::StatusOr<gpu_trace::GpuTrace> ReadRocpd(
    std::shared_ptr<const loaders::InputFile> file, sqlite::Database& database,
    loaders::LoadContext& context);
absl::StatusOr<gpu_trace::GpuTrace> ReadRpd(
    std::shared_ptr<const loaders::InputFile> file, sqlite::Database& database,
    loaders::LoadContext& context);

}  // namespace tfprof::rocprof

#endif  // TFPROF_LOADERS_ROCPROF_ROCPD_H_
