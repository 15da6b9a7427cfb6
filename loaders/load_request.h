// What the user asks to be loaded: files under flags, files without one, and
// how to load them.

#ifndef TFPROF_LOADERS_LOAD_REQUEST_H_
#define TFPROF_LOADERS_LOAD_REQUEST_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/format.h"
#include "loaders/same_step.h"
#include "util/progress.h"
#include "util/work.h"

namespace tfprof {

struct LoadRequest {
  // A file that a flag names: Format::flag ("graph_path") and the path, which
  // may begin with a step ("100:FILE") where the format has steps.
  struct FlaggedFile {
    std::string flag;
    std::string path;
  };
  std::vector<FlaggedFile> flagged;
  // Files and folders without a flag.
  std::vector<std::string> files;
  // Bytes; 0: no limit. A larger profile is kept without its executions.
  size_t max_memory = 0;
  // How loading may run. A cancelled load is CANCELLED and leaves nothing.
  Work work;
  // Counts the bytes of the files that are read; may be null.
  Progress* progress = nullptr;
  // For equal step numbers in several profiles.
  SameStep same_step = SameStep::kRenumber;

  bool empty() const { return flagged.empty() && files.empty(); }
};

// Sets the flag of `format` in `request` to `value`, as the command line has
// it. A list with commas adds to what is there; a single path replaces it, and
// an empty one removes it.
void SetInputFlag(const Format& format, std::string_view value,
                  LoadRequest& request);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_LOAD_REQUEST_H_
