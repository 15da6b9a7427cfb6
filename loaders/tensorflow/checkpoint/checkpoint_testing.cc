#include "loaders/tensorflow/checkpoint/checkpoint_testing.h"

#include <algorithm>
#include <cstddef>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "loaders/tensorflow/checkpoint/crc32c.h"
#include "snappy.h"

namespace tfprof::tensorflow {

std::string FixedBytes(uint64_t value, int width) {
  std::string bytes;
  for (int i = 0; i < width; ++i) {
    bytes.push_back(static_cast<char>(value >> (8 * i)));
  }
  return bytes;
}

std::string VarintBytes(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes.push_back(static_cast<char>(value | 0x80));
  }
  bytes.push_back(static_cast<char>(value));
  return bytes;
}

BlockWriter& BlockWriter::Add(std::string_view key, std::string_view value) {
  size_t shared = 0;
  while (shared < std::min(key.size(), last_key_.size()) &&
         key[shared] == last_key_[shared]) {
    ++shared;
  }
  last_key_.assign(key);
  return AddRaw(shared, key.size() - shared, value.size(),
                std::string(key.substr(shared)).append(value));
}

BlockWriter& BlockWriter::AddRaw(uint64_t shared, uint64_t unshared,
                                 uint64_t value_size, std::string_view bytes) {
  bytes_ +=
      VarintBytes(shared) + VarintBytes(unshared) + VarintBytes(value_size);
  bytes_ += bytes;
  return *this;
}

std::string BlockWriter::Finish() const {
  return bytes_ + FixedBytes(0, 4) + FixedBytes(1, 4);
}

std::string TableWriter::Append(std::string_view stored, char compression) {
  std::string handle = VarintBytes(file_.size()) + VarintBytes(stored.size());
  const std::string body = std::string(stored) + compression;
  file_ += body;
  file_ += FixedBytes(MaskCrc32c(Crc32c(body)), 4);
  return handle;
}

TableWriter& TableWriter::AddBlock(std::string_view last_key,
                                   std::string_view contents,
                                   Compression compression) {
  std::string stored(contents);
  if (compression == kSnappy) {
    snappy::Compress(contents.data(), contents.size(), &stored);
  }
  return AddStored(last_key, stored, compression);
}

TableWriter& TableWriter::AddStored(std::string_view last_key,
                                    std::string_view stored, char compression) {
  index_.Add(last_key, Append(stored, compression));
  return *this;
}

std::string TableWriter::Finish() const {
  TableWriter table = *this;
  std::string footer = table.Append(BlockWriter().Finish(), kPlain);
  footer += table.Append(index_.Finish(), kPlain);
  footer.resize(40);
  return table.file_ + footer + FixedBytes(0xdb4775248b80fb57u, 8);
}

std::string WriteTable(const std::map<std::string, std::string>& entries) {
  BlockWriter block;
  for (const auto& [key, value] : entries) block.Add(key, value);
  return TableWriter()
      .AddBlock(entries.empty() ? "" : entries.rbegin()->first, block.Finish())
      .Finish();
}

proto::TensorSliceProto Slice(
    const std::vector<std::pair<int64_t, int64_t>>& extents) {
  proto::TensorSliceProto slice;
  for (const auto& [start, length] : extents) {
    proto::TensorSliceProto::Extent* extent = slice.add_extent();
    extent->set_start(start);
    if (length >= 0) extent->set_length(length);
  }
  return slice;
}

proto::TensorShapeProto Shape(const std::vector<int64_t>& sizes) {
  proto::TensorShapeProto shape;
  for (const int64_t size : sizes) shape.add_dim()->set_size(size);
  return shape;
}

std::vector<std::string> MemoryFiles::Match(const std::string& pattern) const {
  std::vector<std::string> paths;
  for (const auto& [path, bytes] : files_) {
    if (path == pattern ||
        (pattern.ends_with('*') &&
         path.starts_with(pattern.substr(0, pattern.size() - 1)))) {
      paths.push_back(path);
    }
  }
  return paths;
}

bool MemoryFiles::Exists(const std::string& path) const {
  return files_.contains(path);
}

absl::StatusOr<FileBytes> MemoryFiles::Open(const std::string& path) const {
  const auto file = files_.find(path);
  if (file == files_.end()) {
    return absl::NotFoundError(fmt::format("{}: no such file", path));
  }
  return FileBytes{file->second, nullptr};
}

}  // namespace tfprof::tensorflow
