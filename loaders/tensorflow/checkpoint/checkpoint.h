// Opens a TensorFlow checkpoint: tensors by name, for `-select tensor_value`.
//
//   absl::StatusOr<std::unique_ptr<TensorSource>> source =
//       OpenCheckpoint("train/model.ckpt-1000");
//
// `path` is what TensorFlow calls the prefix. Two formats:
//
//   V2, tensor bundles, if `<path>.index` exists: this table lists the tensors,
//       and `<path>.data-00000-of-00001` and so on hold the values. One of
//       these files, or the `.meta` file beside them, may be given too.
//   V1, saved tensor slices, otherwise: `path` is a file, or a shell pattern of
//       several files that each hold a part.
//
// Opening only reads the list of tensors. Files are mapped; Read() reads a
// value and verifies its checksum. Read() supports float, double, int32, int64
// and string, and assembles a partitioned tensor of a V2 checkpoint from its
// slices. tensors() does not list the slices. The source owns all it needs, and
// several threads may read it at once.
//
// Behaviour and formats: tensorflow/c/checkpoint_reader.cc,
// core/util/tensor_bundle/tensor_bundle.cc, core/util/tensor_slice_reader.cc.
// Messages that users know from TensorFlow are unchanged:
//   Key <name> not found in checkpoint             (V2, NotFound)
//   <name> not found in checkpoint file            (V1, NotFound)
//   Sliced checkpoints are not supported           (V1, Unimplemented)
//   Data type not supported                        (V1, Unimplemented)
//   Not Supported type <number>                    (both, Unimplemented)
//   Unsuccessful TensorSliceReader constructor: Failed to find any matching
//       files for <path>                           (NotFound)
//   Unable to open table file <file>: <status>     (DataLoss)
// Reading strings is an extension: the reference aborts on them.

#ifndef TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_H_
#define TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "loaders/tensorflow/checkpoint/checkpoint_files.h"
#include "profile/tensor_source.h"

namespace tfprof::tensorflow {

absl::StatusOr<std::unique_ptr<profile::TensorSource>> OpenCheckpoint(
    const std::string& path);

// Opens a checkpoint in `files`, which must outlive the source.
absl::StatusOr<std::unique_ptr<profile::TensorSource>> OpenCheckpoint(
    const std::string& path, const CheckpointFiles& files);

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_H_
