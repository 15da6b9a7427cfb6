#include "loaders/tensorflow/checkpoint/sorted_table.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "fmt/format.h"
#include "loaders/tensorflow/checkpoint/coding.h"
#include "loaders/tensorflow/checkpoint/crc32c.h"
#include "snappy.h"

namespace tfprof::tensorflow {
namespace {

// The footer: handles of the meta index and the index, padding, magic number.
constexpr size_t kFooterSize = 48;
constexpr uint64_t kMagic = 0xdb4775248b80fb57u;

// After each block: its compression type, then the masked checksum of the block
// and that byte.
constexpr size_t kTrailerSize = 5;
constexpr char kPlain = 0;
constexpr char kSnappy = 1;

// Three bytes of snappy give at most 64 bytes; no other bytes give more.
constexpr size_t kSnappyMaxRatio = 22;

// Walks the entries of one block. The key is kept in one buffer, because an
// entry only gives the number of bytes that it shares with the key before.
// Storing every key in full could take the square of the block's size.
class EntryCursor {
 public:
  EntryCursor(std::string_view block, uint64_t block_offset)
      : block_(block), block_offset_(block_offset) {}

  // Finds the end of the entries. Must be called first.
  absl::Status Start() {
    if (block_.size() < 4) {
      return Damage("no room for the number of restart points");
    }
    const uint64_t restarts =
        LoadLittle<uint32_t>(block_.data() + block_.size() - 4);
    if (restarts > (block_.size() - 4) / 4) {
      return Damage(fmt::format("{} restart points do not fit into {} bytes",
                                restarts, block_.size()));
    }
    rest_ = block_.substr(0, block_.size() - 4 - 4 * restarts);
    end_ = rest_.size();
    return absl::OkStatus();
  }

  // Moves to the next entry; returns false after the last one.
  absl::StatusOr<bool> Next() {
    if (rest_.empty()) return false;
    uint64_t shared = 0, unshared = 0, value_size = 0;
    if (!ConsumeVarint(&rest_, &shared) || !ConsumeVarint(&rest_, &unshared) ||
        !ConsumeVarint(&rest_, &value_size)) {
      return Damage("the entry's sizes are cut off or too large");
    }
    if (shared > key_.size()) {
      return Damage(
          fmt::format("the key shares {} bytes with a key of {} bytes", shared,
                      key_.size()));
    }
    if (unshared > rest_.size() || value_size > rest_.size() - unshared) {
      return Damage(fmt::format(
          "a key of {} more bytes and a value of {} bytes do not fit into the "
          "{} bytes left",
          unshared, value_size, rest_.size()));
    }
    const std::string_view tail = rest_.substr(0, unshared);
    // The shared part is equal, so the rest decides the order.
    if (!first_ && std::string_view(key_).substr(shared) >= tail) {
      return Damage("the keys are not in ascending order");
    }
    first_ = false;
    shared_ = shared;
    key_.resize(shared);
    key_.append(tail);
    value_ = rest_.substr(unshared, value_size);
    rest_.remove_prefix(unshared + value_size);
    return true;
  }

  // Moves to the first entry whose key is not below `target`; returns false if
  // there is none. Takes linear time in the block for any keys, because bytes
  // that are known to be equal are not compared again.
  absl::StatusOr<bool> Seek(std::string_view target) {
    size_t equal = 0;  // length of the common prefix of the last key and target
    while (true) {
      absl::StatusOr<bool> more = Next();
      if (!more.ok() || !*more) return more;
      // It differs at the same byte as the key before, and is smaller too.
      if (shared_ > equal) continue;
      equal = shared_;
      const size_t limit = std::min(key_.size(), target.size());
      while (equal < limit && key_[equal] == target[equal]) ++equal;
      if (equal == target.size()) return true;
      if (equal < key_.size() && static_cast<uint8_t>(key_[equal]) >
                                     static_cast<uint8_t>(target[equal])) {
        return true;
      }
    }
  }

  std::string_view key() const { return key_; }
  std::string_view value() const { return value_; }

 private:
  absl::Status Damage(std::string_view what) const {
    return absl::DataLossError(
        fmt::format("table block at byte {}, byte {} of its contents: {}; the "
                    "file is damaged, copy or save it again",
                    block_offset_, end_ - rest_.size(), what));
  }

  std::string_view block_;
  uint64_t block_offset_;
  std::string_view rest_;
  size_t end_ = 0;
  bool first_ = true;
  size_t shared_ = 0;
  std::string key_;
  std::string_view value_;
};

}  // namespace

absl::StatusOr<SortedTable::Block> SortedTable::ReadBlock(
    std::string_view* in, uint64_t* floor) const {
  uint64_t offset = 0, size = 0;
  if (!ConsumeVarint(in, &offset) || !ConsumeVarint(in, &size)) {
    return absl::DataLossError(
        "the place of a table block is cut off or too large; the file is "
        "damaged, copy or save it again");
  }
  const uint64_t limit = file_.size() - kFooterSize;
  if (offset < *floor || offset > limit || size > limit - offset ||
      limit - offset - size < kTrailerSize) {
    return absl::DataLossError(fmt::format(
        "a table block of {} bytes and its checksum should lie at byte {}, "
        "expected between bytes {} and {}; the file is damaged or cut off, "
        "copy or save it again",
        size, offset, *floor, limit));
  }
  *floor = offset + size + kTrailerSize;

  const std::string_view stored = file_.substr(offset, size);
  const char* trailer = file_.data() + offset + size;
  const uint32_t want = LoadLittle<uint32_t>(trailer + 1);
  const uint32_t got = MaskCrc32c(Crc32c(file_.substr(offset, size + 1)));
  if (got != want) {
    return absl::DataLossError(fmt::format(
        "table block at byte {}: checksum {:#010x} of its {} bytes, expected "
        "{:#010x}; the file is damaged, copy or save it again",
        offset, got, size, want));
  }

  Block block;
  block.offset = offset;
  if (*trailer == kPlain) {
    block.contents = stored;
    return block;
  }
  if (*trailer != kSnappy) {
    return absl::DataLossError(
        fmt::format("table block at byte {}: compression {}, expected 0 (none) "
                    "or 1 (snappy); save the checkpoint without it",
                    offset, static_cast<uint8_t>(*trailer)));
  }
  size_t plain_size = 0;
  std::string plain;
  if (!snappy::GetUncompressedLength(stored.data(), stored.size(),
                                     &plain_size) ||
      plain_size / kSnappyMaxRatio > stored.size()) {
    return absl::DataLossError(
        fmt::format("table block at byte {}: {} bytes of snappy cannot hold "
                    "{} bytes; the file is damaged, copy or save it again",
                    offset, stored.size(), plain_size));
  }
  if (!snappy::Uncompress(stored.data(), stored.size(), &plain)) {
    return absl::DataLossError(fmt::format(
        "table block at byte {}: {} bytes are not valid snappy; the file is "
        "damaged, copy or save it again",
        offset, stored.size()));
  }
  block.storage = std::make_unique<const std::string>(std::move(plain));
  block.contents = *block.storage;
  return block;
}

absl::StatusOr<SortedTable> SortedTable::Open(std::string_view file) {
  if (file.size() < kFooterSize) {
    return absl::DataLossError(fmt::format(
        "{} bytes, expected a table of at least {}; the file is not a "
        "checkpoint or cut off",
        file.size(), kFooterSize));
  }
  std::string_view footer = file.substr(file.size() - kFooterSize);
  const uint64_t magic =
      LoadLittle<uint64_t>(footer.data() + kFooterSize - sizeof(kMagic));
  if (magic != kMagic) {
    return absl::DataLossError(fmt::format(
        "byte {}: {:#018x}, expected the number of a table {:#018x}; the file "
        "is not a checkpoint or cut off",
        file.size() - sizeof(kMagic), magic, kMagic));
  }
  footer.remove_suffix(sizeof(kMagic));

  SortedTable table(file);
  // The meta index names filters, which checkpoints do not have. It is skipped,
  // as in TensorFlow.
  uint64_t skipped = 0;
  if (!ConsumeVarint(&footer, &skipped) || !ConsumeVarint(&footer, &skipped)) {
    return absl::DataLossError(fmt::format(
        "byte {}: the place of the meta index is too large; the file is "
        "damaged, copy or save it again",
        file.size() - kFooterSize));
  }
  uint64_t floor = 0;
  absl::StatusOr<Block> index = table.ReadBlock(&footer, &floor);
  if (!index.ok()) return index.status();
  table.index_ = *std::move(index);
  return table;
}

absl::Status SortedTable::ForEach(
    absl::FunctionRef<absl::Status(const Entry&)> visit) const {
  EntryCursor index(index_.contents, index_.offset);
  if (absl::Status status = index.Start(); !status.ok()) return status;
  // Overlapping blocks could make a small file very slow.
  uint64_t floor = 0;
  std::string last_key;
  bool first = true;
  while (true) {
    absl::StatusOr<bool> more = index.Next();
    if (!more.ok()) return more.status();
    if (!*more) return absl::OkStatus();
    std::string_view handle = index.value();
    absl::StatusOr<Block> block = ReadBlock(&handle, &floor);
    if (!block.ok()) return block.status();
    EntryCursor cursor(block->contents, block->offset);
    if (absl::Status status = cursor.Start(); !status.ok()) return status;
    bool first_of_block = true;
    while (true) {
      more = cursor.Next();
      if (!more.ok()) return more.status();
      if (!*more) break;
      if (first_of_block && !first && cursor.key() <= last_key) {
        return absl::DataLossError(fmt::format(
            "table block at byte {}: its first key is not above the last of "
            "the block before; the file is damaged, copy or save it again",
            block->offset));
      }
      first_of_block = false;
      absl::Status status =
          visit(Entry{cursor.key(), cursor.value(), block->offset});
      if (!status.ok()) return status;
    }
    if (!first_of_block) {
      last_key = cursor.key();
      first = false;
    }
  }
}

absl::StatusOr<SortedTable::Value> SortedTable::Get(
    std::string_view key) const {
  EntryCursor index(index_.contents, index_.offset);
  if (absl::Status status = index.Start(); !status.ok()) return status;
  // No key in a block is larger than the key of the block in the index.
  absl::StatusOr<bool> found = index.Seek(key);
  if (!found.ok()) return found.status();
  if (!*found) return absl::NotFoundError("the key is not in the table");
  std::string_view handle = index.value();
  uint64_t floor = 0;
  absl::StatusOr<Block> block = ReadBlock(&handle, &floor);
  if (!block.ok()) return block.status();
  EntryCursor cursor(block->contents, block->offset);
  if (absl::Status status = cursor.Start(); !status.ok()) return status;
  found = cursor.Seek(key);
  if (!found.ok()) return found.status();
  if (!*found || cursor.key() != key) {
    return absl::NotFoundError("the key is not in the table");
  }
  return Value{cursor.value(), block->offset, std::move(block->storage)};
}

}  // namespace tfprof::tensorflow
