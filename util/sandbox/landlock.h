// Landlock: takes from this process, for ever and for all of its later threads
// and children, the files that it does not need. The kernel checks each open;
// descriptors that are open already stay as they are. Names, sizes and times of
// files can still be asked for.
//
//   absl::Status status = RestrictFiles({{"trace.json", FileUse::kRead}});
//
// Kernels have it since 5.13, if it is switched on, and refuse more with each
// version: networks since version 4, signals to other processes since 6. What a
// kernel does not know is left out.

#ifndef TFPROF_UTIL_SANDBOX_LANDLOCK_H_
#define TFPROF_UTIL_SANDBOX_LANDLOCK_H_

#include <span>
#include <string>

#include "absl/status/status.h"

namespace tfprof::util {

enum class FileUse {
  kRead,    // a file; a folder: all files below it, and their names
  kList,    // a folder: the names in it and below it
  kChange,  // a folder: files and folders below it are also made and removed
};

struct UsedFile {
  std::string path;
  FileUse use = FileUse::kRead;
};

// 0: the kernel has none, or it is switched off.
int LandlockVersion();

// From now on only `files` can be opened, and symbolic links are what they lead
// to now. Files that are missing, and pipes, need no rule. Call it while there
// is one thread: others stay free. The process can get no more rights by
// executing programs (PR_SET_NO_NEW_PRIVS). Errors: FailedPrecondition without
// Landlock; else the error of the system, with the path if one is to blame.
absl::Status RestrictFiles(std::span<const UsedFile> files);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_SANDBOX_LANDLOCK_H_
