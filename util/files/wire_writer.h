// WireWriter: writes the protobuf wire format into one buffer.
//
//   WireWriter w;
//   {
//     const WireMessage node(w, kNode);   // a nested message, until its end
//     w.Bytes(kName, "conv1");
//     w.Int64(kFloatOps, 5832);
//   }
//   sink.Write(w.bytes());
//
// The buffer has the fields in the order of the calls. The length of a nested
// message is written when it ends: one byte is reserved for it, and only a
// message of 128 bytes or more is moved. We have our own writer because
// protozero reserves five bytes, moves every message, and adds numbers a byte
// at a time: that took half of the time of saving a profile.
//
// Field numbers are below 2^29. A buffer may have any size. The caller checks
// that a protobuf message has at most kMaxMessageBytes. Only the allocation of
// memory can fail.

#ifndef TFPROF_UTIL_FILES_WIRE_WRITER_H_
#define TFPROF_UTIL_FILES_WIRE_WRITER_H_

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <utility>

namespace tfprof::util {

inline constexpr size_t kMaxMessageBytes = std::numeric_limits<int32_t>::max();

// The number of bytes of `value` as a varint.
constexpr size_t VarintSize(uint64_t value) {
  size_t size = 1;
  for (; value >= 0x80; value >>= 7) ++size;
  return size;
}

class WireWriter {
 public:
  std::string_view bytes() const { return {buffer_.get(), size_}; }
  size_t size() const { return size_; }
  // Keeps only the first `size` bytes, and the memory.
  void Truncate(size_t size) { size_ = size; }
  // Reserves memory for this many more bytes.
  void Reserve(size_t bytes) {
    if (capacity_ - size_ < bytes) Grow(bytes);
  }

  // Writes a field of type int32, int64, uint64, bool or enum.
  void Int64(uint32_t field, int64_t value) {
    Reserve(2 * kMaxVarint);
    Varint(uint64_t{field} << 3);
    Varint(static_cast<uint64_t>(value));
  }
  void Uint64(uint32_t field, uint64_t value) {
    Int64(field, static_cast<int64_t>(value));
  }
  void Fixed64(uint32_t field, uint64_t value) {
    Reserve(kMaxVarint + sizeof(value));
    Varint(uint64_t{field} << 3 | kFixed64Type);
    std::memcpy(buffer_.get() + size_, &value, sizeof(value));
    size_ += sizeof(value);
  }
  void Double(uint32_t field, double value) {
    Fixed64(field, std::bit_cast<uint64_t>(value));
  }
  void Bytes(uint32_t field, std::string_view value) {
    Reserve(2 * kMaxVarint + value.size());
    Varint(uint64_t{field} << 3 | kLengthType);
    Varint(value.size());
    Copy(value);
  }
  // Writes a packed field, or nothing if there are no values.
  void PackedInt64(uint32_t field, std::span<const int64_t> values) {
    if (values.empty()) return;
    const size_t at = Begin(field);
    Reserve(kMaxVarint * values.size());
    for (const int64_t value : values) Varint(static_cast<uint64_t>(value));
    End(at);
  }
  // Begins a nested message; its `length` bytes must follow.
  void Open(uint32_t field, size_t length) {
    Reserve(2 * kMaxVarint);
    Varint(uint64_t{field} << 3 | kLengthType);
    Varint(length);
  }
  // Appends bytes that are complete fields already.
  void Raw(std::string_view fields) {
    Reserve(fields.size());
    Copy(fields);
  }

  // As in proto3, these skip 0 and "".
  void Int64IfSet(uint32_t field, int64_t value) {
    if (value != 0) Int64(field, value);
  }
  void Uint64IfSet(uint32_t field, uint64_t value) {
    if (value != 0) Uint64(field, value);
  }
  void BytesIfSet(uint32_t field, std::string_view value) {
    if (!value.empty()) Bytes(field, value);
  }

  // Begin and end a nested message; WireMessage calls both. Begin() returns the
  // position of the content.
  size_t Begin(uint32_t field) {
    Reserve(kMaxVarint + 1);
    Varint(uint64_t{field} << 3 | kLengthType);
    return ++size_;
  }
  void End(size_t begin) {
    const size_t length = size_ - begin;
    if (length >= 0x80) {
      const size_t more = VarintSize(length) - 1;
      Reserve(more);
      char* content = buffer_.get() + begin;
      std::memmove(content + more, content, length);
      size_ += more;
    }
    const size_t end = std::exchange(size_, begin - 1);
    Varint(length);
    size_ = end;
  }

 private:
  static constexpr uint32_t kFixed64Type = 1;
  static constexpr uint32_t kLengthType = 2;
  static constexpr size_t kMaxVarint = 10;

  void Grow(size_t bytes) {
    capacity_ = std::max({2 * capacity_, size_ + bytes, size_t{1024}});
    auto grown = std::make_unique_for_overwrite<char[]>(capacity_);
    if (size_ > 0) std::memcpy(grown.get(), buffer_.get(), size_);
    buffer_ = std::move(grown);
  }

  // The caller has reserved the memory.
  void Varint(uint64_t value) {
    char* at = buffer_.get() + size_;
    for (; value >= 0x80; value >>= 7) {
      *at++ = static_cast<char>(value | 0x80);
    }
    *at++ = static_cast<char>(value);
    size_ = static_cast<size_t>(at - buffer_.get());
  }

  void Copy(std::string_view bytes) {
    if (!bytes.empty()) {
      std::memcpy(buffer_.get() + size_, bytes.data(), bytes.size());
    }
    size_ += bytes.size();
  }

  std::unique_ptr<char[]> buffer_;
  size_t size_ = 0;
  size_t capacity_ = 0;
};

// A nested message that ends with the scope.
class WireMessage {
 public:
  WireMessage(WireWriter& writer, uint32_t field)
      : writer_(writer), begin_(writer.Begin(field)) {}
  ~WireMessage() { writer_.End(begin_); }
  WireMessage(const WireMessage&) = delete;
  WireMessage& operator=(const WireMessage&) = delete;

 private:
  WireWriter& writer_;
  const size_t begin_;
};

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_FILES_WIRE_WRITER_H_
