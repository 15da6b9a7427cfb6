// Decides which files a load reads, as which format, and in which order.
//
// Files without a flag are recognised by their content. In a folder, the files
// that hold most are read. load.h describes the rules; the rows of the registry
// hold what is specific to a format.

#ifndef TFPROF_LOADERS_CORE_LOAD_PLAN_H_
#define TFPROF_LOADERS_CORE_LOAD_PLAN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/core/format.h"
#include "loaders/core/import_log.h"
#include "loaders/core/inputs.h"
#include "loaders/core/load_request.h"

namespace tfprof::loaders {

// The kind of the log entries that list the skipped files of folders, each with
// the reason.
inline constexpr std::string_view kSkippedFile = "file of a folder skipped";

// The kind of the log entry that names the run that was opened, if there are
// several.
inline constexpr std::string_view kNewestRun = "newest run of several opened";

struct LoadPlan {
  struct File {
    std::string path;
    std::optional<int64_t> step;  // nullopt: by position, or no step
    // The file was found in a folder: the user did not name it.
    bool in_folder = false;
  };
  // The files of a format: first those under flags, in the given order.
  struct Group {
    const Format* format = nullptr;
    std::vector<File> files;
  };

  // In ascending order of Format::order; each has at least one file.
  std::vector<Group> groups;
};

// A file of a folder that its loader refused.
struct RefusedFile {
  std::string path;
  std::string reason;
};

// Opens the files whose content decides their format. Skips the files in
// `refused`, with their reasons. The log lists the skipped files of folders.
// Errors: a file that cannot be opened or whose format is unknown, a folder
// without a readable input, flags that exclude each other, a flag that no
// format has.
absl::StatusOr<LoadPlan> PlanLoad(const LoadRequest& request,
                                  FormatRegistry formats, Inputs& inputs,
                                  ImportLog& log,
                                  std::span<const RefusedFile> refused = {});

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_LOAD_PLAN_H_
