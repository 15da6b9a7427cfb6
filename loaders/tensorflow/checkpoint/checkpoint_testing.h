// For tests and fuzzing of loaders/checkpoint: a writer of sorted tables, and
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

namespace tfprof {

// Little endian, `width` bytes.
std::string FixedBytes(uint64_t value, int width);
std::string VarintBytes(uint64_t value);

// Contents of a block, entry by entry. Sorts and checks nothing, so that bad
// blocks can be written too.
class BlockWriter {
 public:
  // Shares with the key before as many bytes as are equal.
  BlockWriter& Add(std::string_view key, std::string_view value);
  // With sizes as given.
  BlockWriter& AddRaw(uint64_t shared, uint64_t unshared, uint64_t value_size,
                      std::string_view bytes);
  // With one restart point.
  std::string Finish() const;

 private:
  std::string bytes_;
  std::string last_key_;
};

// A table of blocks, in the order given.
class TableWriter {
 public:
  enum Compression : char { kPlain = 0, kSnappy = 1 };

  // `last_key` is the block's key in the index; it must not be below the
  // block's keys.
  TableWriter& AddBlock(std::string_view last_key, std::string_view contents,
                        Compression compression = kPlain);
  // The same, stored as it is under that kind of compression.
  TableWriter& AddStored(std::string_view last_key, std::string_view stored,
                         char compression);
  std::string Finish() const;

 private:
  // Appends a block with its trailer, returns its handle.
  std::string Append(std::string_view stored, char compression);

  std::string file_;
  BlockWriter index_;
};

// A table of one block with these entries.
std::string WriteTable(const std::map<std::string, std::string>& entries);

// A slice with these starts and lengths; a negative length: not given.
TensorSliceProto Slice(const std::vector<std::pair<int64_t, int64_t>>& extents);
TensorShapeProto Shape(const std::vector<int64_t>& sizes);

// Bytes by path.
using FileMap = std::map<std::string, std::string>;

// These files. A pattern is a path, or a prefix followed by `*`.
class MemoryFiles : public CheckpointFiles {
 public:
  explicit MemoryFiles(FileMap files) : files_(std::move(files)) {}

  std::vector<std::string> Match(const std::string& pattern) const override;
  bool Exists(const std::string& path) const override;
  absl::StatusOr<FileBytes> Open(const std::string& path) const override;

 private:
  FileMap files_;
};

}  // namespace tfprof

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_CHECKPOINT_TESTING_H_
