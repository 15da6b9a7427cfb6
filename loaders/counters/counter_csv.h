// Reads counters of kernels from the CSV of AMD's profilers.
//
//   CodeXL, RCP   a row for each kernel: Method, ExecutionOrder, …; comments
//                 may come before the names of the columns
//   rocprof       a row for each kernel: Index, KernelName, …
//   rocprofv3     a row for each kernel and counter: Dispatch_Id, Kernel_Name,
//                 Counter_Name, Counter_Value, …
//
// Columns are found by their names. Columns that do not describe the kernel are
// counters. Errors name the file and its line.

#ifndef TFPROF_LOADERS_COUNTERS_COUNTER_CSV_H_
#define TFPROF_LOADERS_COUNTERS_COUNTER_CSV_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "loaders/core/byte_notes.h"
#include "loaders/core/counter_file.h"
#include "loaders/core/import_log.h"

namespace tfprof::counters {

// Returns whether the names of the columns of one of these tools are near the
// start.
bool LooksLikeCounterCsv(std::string_view bytes);

// Reads all rows. A row without a cell for each column is dropped and logged.
// Suffixes that the tools append to kernel names are removed: "_gfx803", ".kd".
// `notes`: for an account.
absl::StatusOr<loaders::CounterFile> ParseCounterCsv(
    const std::string& path, std::string_view bytes, loaders::ImportLog& log,
    loaders::ByteNotes* notes = nullptr);

}  // namespace tfprof::counters

#endif  // TFPROF_LOADERS_COUNTERS_COUNTER_CSV_H_
