// NewFile: a file that is written under no name, or under a temporary one,
// until Commit() gives it its own. Its destructor discards what was not
// committed.
//
//   auto file = MakeNewFile(path);
//   write((*file)->fd(), …);
//   absl::Status status = (*file)->Commit();
//
// Special files (/dev/null, a pipe) are written in place. Errors have the path
// of the request: "NOT_FOUND: dir/x; No such file or directory".
//
// All files of the program are made here, so that a process that may open none
// can have them made by another one (FileMaker).

#ifndef TFPROF_UTIL_FILES_NEW_FILE_H_
#define TFPROF_UTIL_FILES_NEW_FILE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "util/run/cancellation.h"

namespace tfprof::util {

class NewFile {
 public:
  virtual ~NewFile() = default;
  // Open for writing, until Commit() or the destructor.
  virtual int fd() const = 0;
  // Call it once, after all bytes are written.
  virtual absl::Status Commit() = 0;
};

class FileMaker {
 public:
  virtual ~FileMaker() = default;
  virtual absl::StatusOr<std::unique_ptr<NewFile>> Make(
      const std::string& path, const Cancellation* cancellation) = 0;
  // The descriptor of a new file for reading and writing in $TMPDIR, or /tmp,
  // that vanishes with its last descriptor and mapping. -1 with errno: none.
  virtual int MakeTemporary() = 0;
};

// Makes files by calls of the system.
FileMaker& SystemFiles();
// Makes all files of this process from now on; it must outlive them. Call it
// while there is one thread.
void UseFileMaker(FileMaker& maker);

// Like the calls of FileMaker, with the maker in use.
absl::StatusOr<std::unique_ptr<NewFile>> MakeNewFile(
    const std::string& path, const Cancellation* cancellation = nullptr);
int MakeTemporaryFile();

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_FILES_NEW_FILE_H_
