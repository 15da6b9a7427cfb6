// For tests and fuzzing of checkpoints: writes sorted tables, and keeps
// checkpoint files in memory. Nothing here touches the disk.

#ifndef TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_TESTING_H_
#define TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_TESTING_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/tensorflow/checkpoint/checkpoint_files.h"
#include "proto/checkpoint.pb.h"

namespace tfprof::tensorflow {

// Returns `width` bytes in little endian.
std::string FixedBytes(uint64_t value, int width);
std::string VarintBytes(uint64_t value);

// Writes the contents of a block, entry by entry. Does not sort or check, so
// that tests can write bad blocks.
class BlockWriter {
 public:
  // Shares the common prefix with the key before.
  BlockWriter& Add(std::string_view key, std::string_view value);
  // Writes the given sizes.
  BlockWriter& AddRaw(uint64_t shared, uint64_t unshared, uint64_t value_size,
                      std::string_view bytes);
  // Writes one restart point.
  std::string Finish() const;

 private:
  std::string bytes_;
  std::string last_key_;
};

// Writes a table of blocks, in the given order.
class TableWriter {
 public:
  enum Compression : char { kPlain = 0, kSnappy = 1 };

  // `last_key` is the key of the block in the index. It must not be smaller
  // than any key in the block.
  TableWriter& AddBlock(std::string_view last_key, std::string_view contents,
                        Compression compression = kPlain);
  // Adds stored bytes unchanged, marked as compressed in that way.
  TableWriter& AddStored(std::string_view last_key, std::string_view stored,
                         char compression);
  std::string Finish() const;

 private:
  // Appends a block with its trailer, and returns its handle.
  std::string Append(std::string_view stored, char compression);

  std::string file_;
  BlockWriter index_;
};

// Writes a table that has one block with these entries.
std::string WriteTable(const std::map<std::string, std::string>& entries);

// Makes a slice with these starts and lengths; omits negative lengths.
proto::TensorSliceProto Slice(
    const std::vector<std::pair<int64_t, int64_t>>& extents);
proto::TensorShapeProto Shape(const std::vector<int64_t>& sizes);

// Bytes by path.
using FileMap = std::map<std::string, std::string>;

// Serves these files. A pattern is a path, or a prefix followed by `*`.
class MemoryFiles : public CheckpointFiles {
 public:
  explicit MemoryFiles(FileMap files) : files_(std::move(files)) {}

  std::vector<std::string> Match(const std::string& pattern) const override;
  bool Exists(const std::string& path) const override;
  absl::StatusOr<FileBytes> Open(const std::string& path) const override;

 private:
  FileMap files_;
};

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_TESTING_H_
