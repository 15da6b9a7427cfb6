// Loads binary RunMetadata files: what each step executed, where, when, and
// with how much memory.
//
// Known nodes get executions. Unknown names become nodes whose op is their
// name, or executions outside of all nodes, as the accounting rules decide. The
// microsecond fields are read and the nanosecond fields are not, because the
// reference sums microseconds. Behaviour: reference spec 2.2, 3.4 to 3.6.
//
// Files are cut into pieces of some megabytes, which all cores parse against
// the nodes known so far. The pieces are then merged in the order of the files
// and of the bytes, so the profile does not depend on the number of threads.

#ifndef TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_RUN_METADATA_H_
#define TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_RUN_METADATA_H_

#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "loaders/core/load_context.h"
#include "profile/tables/lanes.h"

namespace tfprof::tensorflow {

struct RunMetadataFile {
  std::shared_ptr<const loaders::InputFile> file;
  int64_t step = 0;
  // The file is only the StepStats of a RunMetadata.
  bool is_step_stats = false;
  // The process of the profile that recorded the file, see DeviceLaneOf();
  // kNone: unknown.
  profile::ProcessId process = profile::kNone;
};

// Adds each file to its step; files of one step are added up. Each file adds to
// context.run_coverage. The load ends with an error at the first file that is
// not a RunMetadata.
absl::Status LoadRunMetadata(std::span<const RunMetadataFile> files,
                             loaders::LoadContext& context);

// Loads one file.
absl::Status LoadRunMetadata(std::shared_ptr<const loaders::InputFile> file,
                             int64_t step, loaders::LoadContext& context);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_RUN_METADATA_RUN_METADATA_H_
