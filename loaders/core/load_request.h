// LoadRequest: what the user asks to load: files under flags, files without a
// flag, and how to load them. `work` and `progress` are the caller's and must
// outlive the load.

#ifndef TFPROF_LOADERS_CORE_LOAD_REQUEST_H_
#define TFPROF_LOADERS_CORE_LOAD_REQUEST_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/core/format.h"
#include "loaders/nodes/same_step.h"
#include "util/run/progress.h"
#include "util/run/task_options.h"

namespace tfprof::loaders {

struct LoadRequest {
  // A file under a flag: Format::flag ("graph_path") and the path, which may
  // begin with a step ("100:FILE") if the files of the format are steps.
  struct FlaggedFile {
    std::string flag;
    std::string path;
  };
  std::vector<FlaggedFile> flagged;
  // Files and folders without a flag.
  std::vector<std::string> files;
  // Other recordings of the same run, made by other tools. The work of devices
  // in them belongs to the operations of the other files.
  std::vector<std::string> joined;
  // Times since 1970 stay so, which relates them to those of other recordings.
  bool keep_times = false;
  // In bytes; 0: no limit. A larger profile is kept without its executions.
  size_t max_memory = 0;
  // The threads and the cancellation of the load. A cancelled load returns
  // CANCELLED and no profile.
  util::TaskOptions work;
  // Counts the bytes of the files that are read; may be null.
  util::Progress* progress = nullptr;
  // What to do with equal step numbers in several profiles.
  SameStep same_step = SameStep::kRenumber;

  bool empty() const { return flagged.empty() && files.empty(); }
};

// Sets the flag of `format` in `request` to `value`, in the form of the command
// line. A list with commas is appended; a single path replaces the old one, and
// an empty path removes it.
void SetInputFlag(const Format& format, std::string_view value,
                  LoadRequest& request);

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_LOAD_REQUEST_H_
