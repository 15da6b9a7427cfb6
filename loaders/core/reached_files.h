// The files that a load may open, before any of them is read: for a process
// that is confined to them. It is more than a load opens: a file that stands
// for a folder brings the whole folder, and the prefix of a checkpoint all
// files that begin with it.

#ifndef TFPROF_LOADERS_CORE_REACHED_FILES_H_
#define TFPROF_LOADERS_CORE_REACHED_FILES_H_

#include <string>
#include <vector>

#include "loaders/core/format.h"
#include "loaders/core/load_request.h"

namespace tfprof::loaders {

struct ReachedFiles {
  // Files, and folders with all that is below them.
  std::vector<std::string> paths;
  // Folders whose names are read, but not the files in them.
  std::vector<std::string> listed;
};

// Reads only names. A file that is missing may be among the paths.
ReachedFiles ReachedBy(const LoadRequest& request, FormatRegistry formats);

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_REACHED_FILES_H_
