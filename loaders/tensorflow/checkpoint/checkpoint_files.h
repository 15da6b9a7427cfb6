// CheckpointFiles: the source of a checkpoint's bytes: the disk, or a map from
// names to bytes in tests and fuzzing.
//
// An opened file is its bytes plus their owner; it may be copied. Errors:
// NotFound, PermissionDenied and others from the system, each with the path and
// the system's message.

#ifndef TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_FILES_H_
#define TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_FILES_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tfprof::tensorflow {

struct FileBytes {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
};

class CheckpointFiles {
 public:
  virtual ~CheckpointFiles() = default;

  // Returns the paths that match a shell pattern, ascending. The path of an
  // existing file matches only itself.
  virtual std::vector<std::string> Match(const std::string& pattern) const = 0;

  virtual bool Exists(const std::string& path) const = 0;

  virtual absl::StatusOr<FileBytes> Open(const std::string& path) const = 0;
};

// Regular files, mapped into memory. If a file is cut or overwritten later, its
// checksums no longer match, and reading a value fails
// (util/files/mapped_file.h). Never destroyed.
const CheckpointFiles& DiskCheckpointFiles();

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_FILES_H_
