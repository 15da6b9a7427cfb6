#include "util/files/wire.h"

#include "fmt/format.h"

namespace tfprof::util {

bool WireReader::NextOfAnySize() {
  if (at_ == end_) return false;
  field_ = at_;
  uint64_t tag;
  if (!ReadVarint(tag)) return false;
  tag_ = static_cast<uint32_t>(tag);
  if (tag > 0xffffffff || tag < 8) return Fail(Damage::kTag);
  switch (tag_ & 7) {
    case 0:
      return ReadVarint(value_);
    case 2: {
      uint64_t size;
      if (!ReadVarint(size)) return false;
      value_ = size;
      if (size > static_cast<uint64_t>(end_ - at_)) {
        return Fail(Damage::kLength);
      }
      view_ = {at_, static_cast<size_t>(size)};
      at_ += size;
      return true;
    }
    case 5:
      return ReadFixed(4);
    case 1:
      return ReadFixed(8);
    case 3:
      return SkipGroup();
    default:
      return Fail(Damage::kWireType);
  }
}

bool WireReader::SkipGroup() {
  const uint32_t start_tag = tag_;
  const bool skipped = SkipGroupBody();
  // Damage anywhere in a group is reported for the group's field.
  tag_ = start_tag;
  return skipped || Fail(Damage::kGroup);
}

bool WireReader::SkipGroupBody() {
  // The numbers of the open groups; their count is at most the input size.
  std::vector<uint32_t> open = {number()};
  while (!open.empty()) {
    if (at_ == end_) return false;
    uint64_t tag;
    if (!ReadVarint(tag)) return false;
    tag_ = static_cast<uint32_t>(tag);
    if (tag > 0xffffffff || tag < 8) return false;
    uint64_t size;
    switch (tag_ & 7) {
      case 0:
        if (!ReadVarint(size)) return false;
        break;
      case 1:
        if (!ReadFixed(8)) return false;
        break;
      case 2:
        if (!ReadVarint(size)) return false;
        if (size > static_cast<uint64_t>(end_ - at_)) return false;
        at_ += size;
        break;
      case 3:
        open.push_back(number());
        break;
      case 4:
        if (open.back() != number()) return false;
        open.pop_back();
        break;
      case 5:
        if (!ReadFixed(4)) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

std::string WireReader::Describe(size_t offset) const {
  const std::string where = fmt::format(
      "byte {}: field {}: ", offset + static_cast<size_t>(field_ - begin_),
      number());
  switch (damage_) {
    case Damage::kNone:
      return "";
    case Damage::kTag:
      return fmt::format("byte {}: {} is not a field tag",
                         offset + static_cast<size_t>(field_ - begin_), tag_);
    case Damage::kWireType:
      return where + fmt::format("wire type {} does not exist", tag_ & 7);
    case Damage::kVarint:
      return fmt::format(
          "byte {}: a number needs more than the {} bytes left, or is longer "
          "than 10 bytes",
          offset + static_cast<size_t>(field_ - begin_),
          static_cast<size_t>(end_ - field_));
    case Damage::kLength:
      return where + fmt::format("length {} exceeds the {} bytes left", value_,
                                 static_cast<size_t>(end_ - at_));
    case Damage::kFixed:
      return where + fmt::format("a fixed number exceeds the {} bytes left",
                                 static_cast<size_t>(end_ - at_));
    case Damage::kGroup:
      return where + "a group without a proper end";
  }
  return "";
}

bool ReadMapEntry(std::string_view bytes, MapEntry& entry) {
  entry = MapEntry();
  WireReader r(bytes);
  while (r.Next()) {
    switch (r.tag()) {
      case LengthTag(1):
        entry.string_key = r.view();
        break;
      case VarintTag(1):
        entry.int_key = r.int64();
        break;
      case LengthTag(2):
        entry.value = r.view();
        break;
      case VarintTag(2):
        entry.int_value = r.int64();
        break;
    }
  }
  return !r.damaged();
}

bool AppendInts(const WireReader& r, std::vector<int64_t>& values) {
  if (!r.is_length()) {
    values.push_back(r.int64());
    return true;
  }
  // A packed field is a sequence of varints without tags.
  std::string_view bytes = r.view();
  while (!bytes.empty()) {
    uint64_t v = 0;
    size_t i = 0;
    for (;; ++i) {
      if (i == bytes.size() || i == 10) return false;
      const auto b = static_cast<unsigned char>(bytes[i]);
      v |= static_cast<uint64_t>(b & 0x7f) << (7 * i);
      if (b < 0x80) break;
    }
    values.push_back(static_cast<int64_t>(v));
    bytes.remove_prefix(i + 1);
  }
  return true;
}

}  // namespace tfprof::util
