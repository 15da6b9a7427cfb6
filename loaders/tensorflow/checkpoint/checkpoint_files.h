// Where a checkpoint's bytes come from: the disk, or a map from names to bytes
// in tests and fuzzing.
//
// An opened file is bytes plus what keeps them alive; it may be copied. Errors:
// NotFound, PermissionDenied and so on from the system, each with the path and
// the system's words.

#ifndef TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_FILES_H_
#define TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_FILES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tfprof {

struct FileBytes {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};

class CheckpointFiles {
 public:
  virtual ~CheckpointFiles() = default;

  // The paths that match a shell pattern, ascending. The path of an existing
  // file matches only itself.
  virtual std::vector<std::string> Match(const std::string& pattern) const = 0;

  virtual bool Exists(const std::string& path) const = 0;

  virtual absl::StatusOr<FileBytes> Open(const std::string& path) const = 0;
};

// Regular files, mapped into memory. Of one that is cut or overwritten later,
// the checksums no longer fit: that is the error of whoever reads a value
// (util/mapped_file.h). Never destroyed.
const CheckpointFiles& DiskCheckpointFiles();

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_FILES_H_
