// Reads immutable sorted tables: the LevelDB-style container of all checkpoint
// files (V1 files and V2 indexes).
//
// A table is a list of (key, value) pairs by strictly ascending key (unsigned
// bytes), cut into blocks; an index block has the position of each block. The
// layout is LevelDB's doc/table_format.md with TensorFlow's constants: no
// filter, blocks plain or compressed with snappy.
//
//   absl::StatusOr<SortedTable> table = SortedTable::Open(bytes);
//   table->ForEach([](const SortedTable::Entry& e) { ...; });
//   table->Get("some key");
//
// Ownership: the table does not own `file`, which must outlive it and every
// value it returns. Blocks are read on demand, not when opening.
//
// Errors: DataLoss for bytes that are not a table or whose checksum is wrong,
// with offsets from the start of the file; messages do not name the file, which
// the caller knows. Get() returns NotFound for an absent key. Time and memory
// are linear in the bytes read: a snappy block cannot claim more bytes than it
// can hold, and blocks may not overlap.

#ifndef TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_SORTED_TABLE_H_
#define TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_SORTED_TABLE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace tfprof::tensorflow {

class SortedTable {
 public:
  // Only valid during the call of the visitor.
  struct Entry {
    std::string_view key;
    std::string_view value;
    uint64_t block_offset = 0;  // of the entry's block, for messages
  };

  // `bytes` is valid as long as this value and the file exist.
  struct Value {
    std::string_view bytes;
    uint64_t block_offset = 0;
    std::unique_ptr<const std::string> storage;  // null: the file has the bytes
  };

  static absl::StatusOr<SortedTable> Open(std::string_view file);

  // Visits all entries in order. If the visitor returns an error, stops and
  // returns it.
  absl::Status ForEach(
      absl::FunctionRef<absl::Status(const Entry&)> visit) const;

  absl::StatusOr<Value> Get(std::string_view key) const;

 private:
  // `contents` is decompressed and without the trailer.
  struct Block {
    std::string_view contents;
    uint64_t offset = 0;
    std::unique_ptr<const std::string> storage;
  };

  explicit SortedTable(std::string_view file) : file_(file) {}

  // Takes a block handle off the front of `in` and reads that block. The block
  // must begin at or after `*floor`, which is then set to its end.
  absl::StatusOr<Block> ReadBlock(std::string_view* in, uint64_t* floor) const;

  std::string_view file_;
  Block index_;
};

}  // namespace tfprof::tensorflow

#endif  // TFPROF_LOADERS_TENSORFLOW_CHECKPOINT_SORTED_TABLE_H_
