// Loads binary RunMetadata files: what each step executed, where, when, and
// with how much memory.
//
// Known nodes get executions; unknown names become nodes whose op is their
// name, if the accounting rules say so, or executions outside of all nodes. The
// microsecond fields are read, the nanosecond ones are not (the reference sums
// microseconds). Behaviour: reference spec 2.2, 3.4 to 3.6.
//
// Files are cut into pieces of some megabytes, which all cores parse against
// the nodes known so far; the pieces are then merged in the order of the files
// and of the bytes, so the profile does not depend on the number of threads.

#ifndef TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_RUN_METADATA_H_
#define TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_RUN_METADATA_H_

#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "loaders/load_context.h"
#include "profile/lanes.h"

namespace tfprof {

struct RunMetadataFile {
  std::shared_ptr<const InputFile> file;
  int64_t step = 0;
  // The file is the StepStats of a RunMetadata, without the rest.
  bool is_step_stats = false;
  // Of the profile: who recorded it, see DeviceLaneOf(); kNone: not known.
  ProcessId process = kNone;
};

// Adds each file to its step; files of one step accumulate. Each file adds to
// context.run_coverage. The first file that is not a RunMetadata ends the load
// with an error.
absl::Status LoadRunMetadata(std::span<const RunMetadataFile> files,
                             LoadContext& context);

// One file.
absl::Status LoadRunMetadata(std::shared_ptr<const InputFile> file,
                             int64_t step, LoadContext& context);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_RUN_METADATA_H_
