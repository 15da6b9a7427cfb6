// MappedFile: a regular file, mapped for reading, that may be changed by others
// while it is open.
//
// The bytes of a mapping are those that the file has now, not those that it had
// when it was mapped. CheckUnchanged() says whether they are still the same, by
// the size and the time of the last change; so what was read between two checks
// that are OK is of one version. A file that was renamed, removed or replaced
// by another one under its name keeps its bytes, and counts as unchanged.
//
// Where a file became shorter, reading the pages that it lost raises SIGBUS. So
// does a disk that fails. While a MappedFile lives, a signal handler puts zero
// bytes in the place of the rest of the mapping and marks it: the reader goes
// on over zeros, and CheckUnchanged() fails from then on. A fault outside of
// these mappings ends the program as before. A signal handler has no arguments
// of its own, so there is one list of all mappings in the process. Nothing else
// is global.
//
// Thread-safe: any thread may read and check. The path is for messages and for
// the check; it must stay valid relative to the current folder.

#ifndef TFPROF_UTIL_MAPPED_FILE_H_
#define TFPROF_UTIL_MAPPED_FILE_H_

#include <sys/stat.h>
#include <time.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace tfprof {

// What tells one version of a file from another.
struct FileVersion {
  dev_t device = 0;
  ino_t inode = 0;
  off_t size = 0;
  timespec modified = {};  // the last change of its bytes

  static FileVersion Of(const struct stat& info);
  bool SameFile(const FileVersion& other) const {
    return device == other.device && inode == other.inode;
  }
  bool operator==(const FileVersion& other) const;
};

// The error of a file that another program changed. `when`: "while it was
// read", "after it was loaded".
absl::Status FileChanged(std::string_view path, std::string_view when);

// A mapping as the signal handler sees it.
struct MappingGuard;

class MappedFile {
 public:
  // Maps all of an open regular file that is not empty, and which `info`
  // describes. nullptr: the system cannot map it.
  static std::unique_ptr<const MappedFile> Map(int fd, std::string path,
                                               const struct stat& info);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }

  // FileChanged() if the file is not as it was mapped.
  absl::Status CheckUnchanged(std::string_view when) const;

 private:
  MappedFile(std::string path, const FileVersion& version,
             std::string_view bytes);
  const std::string path_;
  const FileVersion version_;
  const std::string_view bytes_;
  MappingGuard* const guard_;
};

}  // namespace tfprof

#endif  // TFPROF_UTIL_MAPPED_FILE_H_
