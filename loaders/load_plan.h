// Which files a load reads, as what, and in which order.
//
// Files without a flag are recognised by their content. Of a folder, the files
// that hold most are read. load.h has the rules; what they need of each format
// is in the rows of the registry.

#ifndef TFPROF_LOADERS_LOAD_PLAN_H_
#define TFPROF_LOADERS_LOAD_PLAN_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/format.h"
#include "loaders/import_log.h"
#include "loaders/inputs.h"
#include "loaders/load_request.h"

namespace tfprof {

// The kind of the log entries that list the files of folders that are not read,
// each with the reason.
inline constexpr std::string_view kSkippedFile = "file of a folder skipped";

// The kind of the log entry that says which of several runs was opened.
inline constexpr std::string_view kNewestRun = "newest run of several opened";

struct LoadPlan {
  struct File {
    std::string path;
    std::optional<int64_t> step;  // nullopt: by position, or no step
    // Found in a folder: nobody asked for this file.
    bool in_folder = false;
  };
  // The files of a format: flags first, in the order given.
  struct Group {
    const Format* format = nullptr;
    std::vector<File> files;
  };

  // By ascending Format::order; each with one file at least.
  std::vector<Group> groups;
};

// A file of a folder that its loader refused.
struct RefusedFile {
  std::string path;
  std::string reason;
};

// Opens the files whose content decides. Files of `refused` are skipped, with
// their reasons. The log lists the files of folders
// that are skipped. Errors: a file that cannot be opened or whose format is
// unknown, a folder with nothing to show, flags that exclude each other, a flag
// that no format has.
absl::StatusOr<LoadPlan> PlanLoad(const LoadRequest& request,
                                  FormatRegistry formats, Inputs& inputs,
                                  ImportLog& log,
                                  std::span<const RefusedFile> refused = {});

}  // namespace tfprof

#endif  // TFPROF_LOADERS_LOAD_PLAN_H_
