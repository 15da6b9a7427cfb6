// FlatBuffer: writes one buffer in the format of FlatBuffers, which Arrow uses
// for its schemas and the headers of its batches.
//
//   FlatBuffer buffer;
//   const size_t field = buffer.AddTable({{0, 4}, {1, 1, true}});
//   buffer.Point(field, 0, buffer.AddText("name"));
//   Send(buffer.bytes());
//
// The first table is the root. A table is written with its numbers; what it
// points to is added behind it, because offsets count forwards, and then
// Point() sets the offset. A place is a position in bytes().
//
// It is our own because the buffers of Arrow need tables, texts and two kinds
// of vectors only; the library would add generated code and a compiler for it.

#ifndef TFPROF_TABLES_WRITERS_FLAT_BUFFER_H_
#define TFPROF_TABLES_WRITERS_FLAT_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace tfprof::tables {

// A number of a table, or an offset, which has 4 bytes and is set later.
struct FlatField {
  uint16_t id;    // its number in the schema of the table
  uint8_t bytes;  // 1, 2, 4 or 8
  int64_t value = 0;
};

// A struct of two numbers, as Arrow's FieldNode and Buffer are.
struct FlatPair {
  int64_t first;
  int64_t second;
};

class FlatBuffer {
 public:
  FlatBuffer();

  // Each of these returns the place of what it adds.
  size_t AddTable(std::initializer_list<FlatField> fields);
  size_t AddText(std::string_view text);
  size_t AddPairs(std::span<const FlatPair> pairs);
  // A vector of `count` offsets, which PointElement() sets.
  size_t AddOffsets(size_t count);

  // Sets the offset of a field, which the table must have, or of an element, to
  // a later place.
  void Point(size_t table, uint16_t id, size_t to);
  void PointElement(size_t vector, size_t index, size_t to);

  // Complete if each offset is set. Numbers are aligned if this is.
  const std::string& bytes() const { return bytes_; }

 private:
  void Pad(size_t remainder, size_t divisor);
  void Append(uint64_t number, size_t bytes);
  void Put(size_t at, uint64_t number, size_t bytes);
  void SetOffset(size_t at, size_t to);

  std::string bytes_;
  bool has_root_ = false;
};

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_WRITERS_FLAT_BUFFER_H_
