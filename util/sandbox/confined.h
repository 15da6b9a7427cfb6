// Confines this process: from now on it opens only the files that it was given
// (landlock.h), makes only the system calls of a reader (syscall_filter.h) and
// leaves no core file. A reader of files from elsewhere, whatever they make of
// it, can then compute and answer, and nothing else.
//
//   auto held = ConfineProcess({.files = {{"trace.json"}}});
//   if (held.ok() && !held->missing.empty()) …   // say it

#ifndef TFPROF_UTIL_SANDBOX_CONFINED_H_
#define TFPROF_UTIL_SANDBOX_CONFINED_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "util/sandbox/landlock.h"
#include "util/sandbox/syscall_filter.h"

namespace tfprof::util {

struct Confinement {
  std::vector<UsedFile> files;
  AllowedCalls calls;
};

struct Confined {
  // A sentence about the half that this kernel does not have; "": none.
  std::string missing;
};

// Call it while there is one thread. FailedPrecondition: neither half works,
// and the process is as free as before.
absl::StatusOr<Confined> ConfineProcess(const Confinement& confinement);

// Closes all descriptors but the standard streams and `kept`: some may come
// from the program that started this one.
void CloseOtherDescriptors(std::vector<int> kept);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_SANDBOX_CONFINED_H_
