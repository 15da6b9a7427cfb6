// MappedFile: a regular file, mapped for reading, that other programs may
// change while it is open.
//
// A mapping shows the current bytes of the file, not the bytes at the time of
// mapping. CheckUnchanged() compares the size and the time of the last change,
// so everything read between two successful checks is of one version. A file
// that was renamed, removed or replaced under its name keeps its bytes and
// counts as unchanged.
//
// If a file becomes shorter, reading its lost pages raises SIGBUS; so does a
// failing disk. While a MappedFile exists, a signal handler replaces the rest
// of the mapping with zero bytes and marks it: the reader continues over zeros,
// and CheckUnchanged() fails from then on. A fault outside of these mappings
// ends the program as before. A signal handler takes no argument of ours, so
// there is one global list of all mappings in the process. Nothing else is
// global.
//
// Thread-safe: any thread may read and check. The path is for messages and for
// the check; it must stay valid relative to the current folder.

#ifndef TFPROF_UTIL_FILES_MAPPED_FILE_H_
#define TFPROF_UTIL_FILES_MAPPED_FILE_H_

#include <sys/stat.h>
#include <time.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"

namespace tfprof::util {

// Identifies one version of a file.
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

// Returns the error for a file that another program changed. `when` is "while
// it was read" or "after it was loaded".
absl::Status FileChanged(std::string_view path, std::string_view when);

// The part of a mapping that the signal handler uses.
struct MappingGuard;

class MappedFile {
 public:
  // Maps an open regular file that is not empty; `info` describes it. Returns
  // nullptr if the system cannot map it.
  static std::unique_ptr<const MappedFile> Map(int fd, std::string path,
                                               const struct stat& info);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view bytes() const { return bytes_; }

  // Returns FileChanged() if the file has changed since it was mapped.
  absl::Status CheckUnchanged(std::string_view when) const;

 private:
  MappedFile(std::string path, const FileVersion& version,
             std::string_view bytes);
  const std::string path_;
  const FileVersion version_;
  const std::string_view bytes_;
  MappingGuard* const guard_;
};

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_FILES_MAPPED_FILE_H_
