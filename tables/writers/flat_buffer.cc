#include "tables/writers/flat_buffer.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>
#include <vector>

namespace tfprof::tables {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr size_t kOffsetBytes = 4;
constexpr size_t kMostBytes = 8;
// In front of the places of the fields: the bytes of the list, of the table.
constexpr size_t kListHead = 2;

}  // namespace

FlatBuffer::FlatBuffer() : bytes_(kOffsetBytes, '\0') {}

size_t FlatBuffer::AddTable(std::initializer_list<FlatField> fields) {
  // A list says where in the table each field is; 0: the table lacks it.
  std::vector<uint16_t> list(kListHead);
  size_t size = kOffsetBytes;
  // The longest first, so that all are aligned if the first one is.
  for (size_t bytes = kMostBytes; bytes > 0; bytes /= 2) {
    for (const FlatField& field : fields) {
      if (field.bytes != bytes) continue;
      list.resize(std::max(list.size(), kListHead + field.id + 1));
      list[kListHead + field.id] = static_cast<uint16_t>(size);
      size += bytes;
    }
  }
  list[0] = static_cast<uint16_t>(list.size() * sizeof(uint16_t));
  list[1] = static_cast<uint16_t>(size);
  Pad(kMostBytes * 2 - kOffsetBytes - list[0] % kMostBytes, kMostBytes);
  for (const uint16_t entry : list) Append(entry, sizeof(entry));
  const size_t table = bytes_.size();
  if (!std::exchange(has_root_, true)) Put(0, table, kOffsetBytes);
  Append(list[0], kOffsetBytes);  // back to the list
  bytes_.resize(table + size);
  for (const FlatField& field : fields) {
    Put(table + list[kListHead + field.id], static_cast<uint64_t>(field.value),
        field.bytes);
  }
  return table;
}

size_t FlatBuffer::AddText(std::string_view text) {
  Pad(0, kOffsetBytes);
  const size_t at = bytes_.size();
  Append(text.size(), kOffsetBytes);
  bytes_ += text;
  bytes_ += '\0';
  return at;
}

size_t FlatBuffer::AddPairs(std::span<const FlatPair> pairs) {
  Pad(kMostBytes - kOffsetBytes, kMostBytes);  // the numbers are aligned
  const size_t at = bytes_.size();
  Append(pairs.size(), kOffsetBytes);
  for (const FlatPair& pair : pairs) {
    Append(static_cast<uint64_t>(pair.first), sizeof(pair.first));
    Append(static_cast<uint64_t>(pair.second), sizeof(pair.second));
  }
  return at;
}

size_t FlatBuffer::AddOffsets(size_t count) {
  Pad(0, kOffsetBytes);
  const size_t at = bytes_.size();
  Append(count, kOffsetBytes);
  bytes_.resize(bytes_.size() + count * kOffsetBytes);
  return at;
}

void FlatBuffer::Point(size_t table, uint16_t id, size_t to) {
  uint32_t back = 0;
  std::memcpy(&back, bytes_.data() + table, sizeof(back));
  uint16_t place = 0;
  std::memcpy(&place,
              bytes_.data() + table - back + (kListHead + id) * sizeof(place),
              sizeof(place));
  SetOffset(table + place, to);
}

void FlatBuffer::PointElement(size_t vector, size_t index, size_t to) {
  SetOffset(vector + kOffsetBytes * (1 + index), to);
}

// Appends zeros until the size has this remainder.
void FlatBuffer::Pad(size_t remainder, size_t divisor) {
  while (bytes_.size() % divisor != remainder % divisor) bytes_ += '\0';
}

void FlatBuffer::Append(uint64_t number, size_t bytes) {
  bytes_.append(reinterpret_cast<const char*>(&number), bytes);
}

void FlatBuffer::Put(size_t at, uint64_t number, size_t bytes) {
  std::memcpy(bytes_.data() + at, &number, bytes);
}

void FlatBuffer::SetOffset(size_t at, size_t to) {
  Put(at, to - at, kOffsetBytes);
}

}  // namespace tfprof::tables
