// WireReader: a pull parser for the protobuf wire format.
//
//   WireReader r(bytes);
//   while (r.Next()) {
//     switch (r.tag()) {
//       case LengthTag(1): name = r.view(); break;
//       case VarintTag(2): micros = r.int64(); break;
//     }
//   }
//   if (r.damaged()) … r.Describe(…) …
//
// Next() reads one whole field. The switch ignores unknown fields and fields of
// an unexpected wire type, as protobuf does. A nested message is a view for
// another WireReader. Reading does not allocate, and the caller controls the
// depth.
//
// The program has its own reader because the libraries do not fit: libprotobuf
// builds objects (300 MB/s, at most 2 GiB); protozero throws exceptions and has
// 32-bit lengths, but the single field of a RunMetadata may exceed 4 GiB.
// Damage here is a state with an offset, not an exception. Groups (deprecated,
// never written by TensorFlow) are skipped.

#ifndef TFPROF_UTIL_FILES_WIRE_H_
#define TFPROF_UTIL_FILES_WIRE_H_

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::util {

// A field number and wire type in one number, for a switch.
inline constexpr uint32_t VarintTag(uint32_t field) { return field << 3; }
inline constexpr uint32_t LengthTag(uint32_t field) { return field << 3 | 2; }

class WireReader {
 public:
  explicit WireReader(std::string_view bytes)
      : begin_(bytes.data()), at_(begin_), end_(begin_ + bytes.size()) {}

  // Goes to the next field. Returns false at the end and at damage.
  bool Next() {
    // Fast path: most tags and lengths have one byte.
    if (end_ - at_ >= 2) {
      const auto tag = static_cast<unsigned char>(at_[0]);
      const auto size = static_cast<unsigned char>(at_[1]);
      if ((tag & 0x87) == 2 && tag >= 8 && size < 0x80 &&
          size <= end_ - at_ - 2) {
        field_ = at_;
        tag_ = tag;
        value_ = size;
        view_ = {at_ + 2, size};
        at_ += 2 + size;
        return true;
      }
      if ((tag & 0x87) == 0 && tag >= 8) {
        field_ = at_++;
        tag_ = tag;
        return ReadVarint(value_);
      }
    }
    return NextOfAnySize();
  }

  // The tag and the field number of the current field.
  uint32_t tag() const { return tag_; }
  uint32_t number() const { return tag_ >> 3; }
  bool is_length() const { return (tag_ & 7) == 2; }
  std::string_view view() const { return view_; }
  uint64_t value() const { return value_; }
  int64_t int64() const { return static_cast<int64_t>(value_); }
  int32_t int32() const { return static_cast<int32_t>(value_); }

  bool damaged() const { return damage_ != Damage::kNone; }
  // The number of bytes up to the end of the last good field.
  size_t good_bytes() const {
    return static_cast<size_t>((damaged() ? field_ : at_) - begin_);
  }
  // If a length exceeds the message, the part of the field that exists. In a
  // truncated file, this is the last record of each level.
  std::string_view rest() const {
    return damage_ == Damage::kLength
               ? std::string_view(at_, static_cast<size_t>(end_ - at_))
               : std::string_view();
  }
  // Returns "byte 18231: field 1: length 4294 exceeds the 90 bytes left", for a
  // message that begins at `offset` of its file.
  std::string Describe(size_t offset) const;

 private:
  enum class Damage {
    kNone,
    kTag,
    kWireType,
    kVarint,
    kLength,
    kFixed,
    kGroup
  };

  bool Fail(Damage damage) {
    damage_ = damage;
    return false;
  }

  bool ReadVarint(uint64_t& value) {
    if (at_ < end_ && static_cast<signed char>(*at_) >= 0) {
      value = static_cast<unsigned char>(*at_++);
      return true;
    }
    return ReadLongVarint(value);
  }

  bool ReadLongVarint(uint64_t& value) {
    uint64_t v = 0;
    const char* p = at_;
    for (int shift = 0; shift < 70; shift += 7) {
      if (p == end_) return Fail(Damage::kVarint);
      const auto b = static_cast<unsigned char>(*p++);
      v |= static_cast<uint64_t>(b & 0x7f) << shift;
      if (b < 0x80) {
        value = v;
        at_ = p;
        return true;
      }
    }
    return Fail(Damage::kVarint);
  }

  bool ReadFixed(size_t size) {
    if (static_cast<size_t>(end_ - at_) < size) return Fail(Damage::kFixed);
    value_ = 0;
    std::memcpy(&value_, at_, size);
    at_ += size;
    return true;
  }

  // The general case of Next().
  bool NextOfAnySize();
  bool SkipGroup();
  bool SkipGroupBody();

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* field_ = nullptr;  // start of the current field
  uint32_t tag_ = 0;
  Damage damage_ = Damage::kNone;
  uint64_t value_ = 0;
  std::string_view view_;
};

// An entry of a map field. Absent parts have their defaults.
struct MapEntry {
  std::string_view string_key;
  int64_t int_key = 0;
  std::string_view value;  // for length-delimited values
  int64_t int_value = 0;
};
// Returns false if the entry is damaged.
bool ReadMapEntry(std::string_view bytes, MapEntry& entry);

// Appends the values of the current field, a repeated int64, packed or not.
// Returns false if it is damaged.
bool AppendInts(const WireReader& r, std::vector<int64_t>& values);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_FILES_WIRE_H_
