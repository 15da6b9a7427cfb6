// Source files: read access to the files below some folders, and to no others.
//
//   const SourceFiles files({".", "/work/checkout"});
//   absl::StatusOr<SourceFile> file = files.Read("model/train.py");
//
// The path comes from a profile, which anyone may have written. So only a
// regular file is opened, of at most kMaxSourceBytes, whose real path is below
// the real path of one of the folders: neither "..", nor a symbolic link, nor a
// link that is exchanged between check and opening leads out of them. A fifo or
// a device is never opened.
//
// A relative path is searched for below each folder in turn. An absolute path
// is taken as it is; it is not searched for below the folders, as it could then
// match a file of another program.
//
// A SourceFiles is a value without files or state. A folder is resolved when a
// file is read; a folder that does not exist allows nothing.

#ifndef TFPROF_UTIL_SOURCE_FILES_H_
#define TFPROF_UTIL_SOURCE_FILES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace tfprof {

// A larger file is not source code.
inline constexpr int64_t kMaxSourceBytes = 10'000'000;

struct SourceFile {
  std::string path;                // as it was opened
  std::vector<std::string> lines;  // without their newlines
};

class SourceFiles {
 public:
  // Allows no file.
  SourceFiles() = default;
  explicit SourceFiles(std::vector<std::string> folders)
      : folders_(std::move(folders)) {}

  // The first file that `path` names. Errors name `path` and say what is wrong:
  //   PermissionDenied    outside of the folders, whether it exists or not
  //   NotFound            missing
  //   FailedPrecondition  not a regular file
  //   ResourceExhausted   larger than kMaxSourceBytes
  //   Unavailable         the system refuses to read it
  absl::StatusOr<SourceFile> Read(std::string_view path) const;

 private:
  std::vector<std::string> folders_;
};

}  // namespace tfprof

#endif  // TFPROF_UTIL_SOURCE_FILES_H_
