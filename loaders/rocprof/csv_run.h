// Reads the CSV files that rocprofv3 writes of one run (--output-format csv).
//
// What a file has is decided by its columns: kernels (Kernel_Name and Kind),
// copies (Direction), calls and ranges (Function and Domain; those of a domain
// that begins with MARKER are ranges), agents (Agent_Type). The call with the
// same Correlation_Id is the launch; it may be in another file of the run. A
// device is the number at the end of an agent ("Agent 1"). A copy is on its
// destination if its direction ends there, else on its source. Times are
// nanoseconds. Other tables of rocprofv3, such as sums, are known and not read.
// The rules come from what rocprofv3 writes.

#ifndef TFPROF_LOADERS_ROCPROF_CSV_RUN_H_
#define TFPROF_LOADERS_ROCPROF_CSV_RUN_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/core/byte_notes.h"
#include "loaders/core/input_file.h"
#include "loaders/core/load_context.h"
#include "loaders/gpu_trace/gpu_trace.h"

namespace tfprof::rocprof {

// Returns whether the first row has the columns of such a file.
bool LooksLikeRocprofCsv(std::string_view bytes);

// One recorded run, and its files.
struct CsvRun {
  std::string path;  // what the paths of its files begin with: "DIR/908"
  std::vector<std::shared_ptr<const loaders::InputFile>> files;
};

// Puts the files of each run together, by what comes before the name of the
// table: "908" of "908_kernel_trace.csv". If all files with such names are of
// one run, the others belong to it too.
std::vector<CsvRun> GroupCsvFiles(
    const std::vector<std::shared_ptr<const loaders::InputFile>>& files);

// Rows that cannot be used are in the log of the context. Errors:
// InvalidArgument for a file without the columns; Cancelled. `notes`: for an
// account of a run of one file.
absl::StatusOr<gpu_trace::GpuTrace> ReadCsvRun(
    const CsvRun& run, loaders::LoadContext& context,
    loaders::ByteNotes* notes = nullptr);

}  // namespace tfprof::rocprof

#endif  // TFPROF_LOADERS_ROCPROF_CSV_RUN_H_
