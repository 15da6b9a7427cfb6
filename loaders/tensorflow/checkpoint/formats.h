// The two checkpoint formats behind OpenCheckpoint(), and their shared helpers.
// Only this folder uses it; checkpoint.h documents messages, ownership and
// threads.

#ifndef TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_FORMATS_H_
#define TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_FORMATS_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "loaders/tensorflow/checkpoint/checkpoint_files.h"
#include "loaders/tensorflow/checkpoint/sorted_table.h"
#include "profile/tensor_source.h"
#include "proto/checkpoint.pb.h"

namespace tfprof::tensorflow {

// Opens `<prefix>.index` and the data files beside it.
absl::StatusOr<std::unique_ptr<profile::TensorSource>> OpenTensorBundle(
    const std::string& prefix, const CheckpointFiles& files);

// Opens the files of a V1 checkpoint; at least one.
absl::StatusOr<std::unique_ptr<profile::TensorSource>> OpenSavedSlices(
    const std::vector<std::string>& paths, const CheckpointFiles& files);

// A file that is a sorted table, with its bytes.
struct TableFile {
  std::string path;
  FileBytes bytes;
  SortedTable table;
};

absl::StatusOr<TableFile> OpenTableFile(const std::string& path,
                                        const CheckpointFiles& files);

// Returns false for more than 2 GiB, which the library cannot read, and for
// bytes that are not such a message.
bool ParseMessage(std::string_view bytes, google::protobuf::Message* message);

// Returns FailedPrecondition if the file requires a newer reader.
absl::Status CheckVersions(const proto::VersionDef& versions);

// Returns Unimplemented unless Read() supports the type.
absl::Status CheckType(int dtype);

// Returns the index of `name` in a list that is sorted by name, or -1.
int FindTensor(const std::vector<profile::TensorInfo>& tensors,
               std::string_view name);

// Returns `status` with `where` and a colon before its message.
absl::Status AddContext(std::string_view where, const absl::Status& status);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_FORMATS_H_
