// Source files: read access to the files below some folders, and to no others.
//
//   const SourceFiles files({".", "/work/checkout"});
//   absl::StatusOr<SourceFile> file = files.Read("model/train.py");
//
// The path comes from a profile, which may be hostile. So the reader opens only
// regular files of at most kMaxSourceBytes whose real path is below the real
// path of one of the folders. Neither "..", nor a symbolic link, nor a link
// that is swapped between the check and the opening leads out of the folders.
// Fifos and devices are never opened, nor is a file below /proc, /sys or /dev:
// these tell about the processes of this machine, such as their environment.
//
// A relative path is searched for below each folder in turn. An absolute path
// is used as it is; if it were searched for below the folders, it could match a
// file of another program.
//
// A SourceFiles is a plain value and holds no open files. A folder is resolved
// when a file is read; a missing folder allows nothing.

#ifndef TFPROF_UTIL_FILES_SOURCE_FILES_H_
#define TFPROF_UTIL_FILES_SOURCE_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace tfprof::util {

// A larger file is unlikely to be source code.
inline constexpr int64_t kMaxSourceBytes = 10'000'000;

struct SourceFile {
  std::string path;                // the opened path
  std::vector<std::string> lines;  // without their newlines
};

class SourceFiles {
 public:
  // Allows no file.
  SourceFiles() = default;
  explicit SourceFiles(std::vector<std::string> folders)
      : folders_(std::move(folders)) {}

  // Returns the first file that `path` names. Error messages contain `path` and
  // the reason:
  //   PermissionDenied    outside of the folders, whether it exists or not
  //   NotFound            missing
  //   FailedPrecondition  not a regular file, or a file of the system
  //   ResourceExhausted   larger than kMaxSourceBytes
  //   Unavailable         the system refuses to read it
  absl::StatusOr<SourceFile> Read(std::string_view path) const;

 private:
  std::vector<std::string> folders_;
};

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_FILES_SOURCE_FILES_H_
