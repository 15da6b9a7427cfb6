// KeptFiles: the files of a load that a profile still reads from.
//
// Attributes, allocations and the like stay in the mapped files until a command
// needs them (profile/details.h). If another program writes to such a file
// meanwhile, what is read from it is a mixture, and so is all that views have
// computed from it and keep. So a command first calls Begin(), and Check() when
// it is done: an error if it read from a file that is not as it was loaded. It
// is one for every later command, too, since they may use what was computed.
// Commands that need the columns only are not affected by a change.
//
// Owns nothing: a file that nobody reads any more is not checked. For one
// thread, though others may read the files between the calls.

#ifndef TFPROF_LOADERS_KEPT_FILES_H_
#define TFPROF_LOADERS_KEPT_FILES_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "loaders/input_file.h"

namespace tfprof {

class KeptFiles {
 public:
  void Add(const std::shared_ptr<const InputFile>& file);

  // Before a command.
  void Begin();
  // After it, and before what it made is shown or becomes a file. `all`: as if
  // it had read from every file. Cancels nothing and prints nothing.
  absl::Status Check(bool all);

 private:
  std::vector<std::weak_ptr<const InputFile>> files_;
  absl::Status mixed_;  // the error since something wrong was read
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_KEPT_FILES_H_
