// KeptFiles: the files of a load that a profile still reads from.
//
// Attributes, allocations and other details stay in the mapped files until a
// command needs them (profile/details.h). If another program then writes to
// such a file, a command reads a mixture of old and new bytes, and views keep
// results that they computed from it. So a command first calls Begin(), and
// calls Check() when it is done. Check() returns an error if the command read
// from a file that has changed since it was loaded. From then on it returns
// this error for every later command, because they may use the wrong results.
// Commands that only need the columns are not affected.
//
// Owns nothing: a file that nobody reads any more is not checked. Use one
// thread, though others may read the files between the calls.

#ifndef TFPROF_LOADERS_CORE_KEPT_FILES_H_
#define TFPROF_LOADERS_CORE_KEPT_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "loaders/core/input_file.h"

namespace tfprof::loaders {

class KeptFiles {
 public:
  void Add(const std::shared_ptr<const InputFile>& file);

  // Call this before a command.
  void Begin();
  // Call this after a command, before its output is shown or written to a file.
  // `all`: check as if the command had read from every file. Cancels nothing
  // and prints nothing.
  absl::Status Check(bool all);

 private:
  std::vector<std::weak_ptr<const InputFile>> files_;
  absl::Status mixed_;  // set when changed bytes were read
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_CORE_KEPT_FILES_H_
