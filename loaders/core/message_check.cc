#include "loaders/core/message_check.h"

#include <algorithm>
#include <charconv>

#include "absl/container/flat_hash_map.h"
#include "google/protobuf/descriptor.h"

namespace tfprof::loaders {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

// Moves `at` behind a number of at most 10 bytes.
bool SkipVarint(const char*& at, const char* end) {
  const char* const limit = end - at > 10 ? at + 10 : end;
  while (at < limit && static_cast<signed char>(*at) < 0) ++at;
  if (at == limit) return false;
  ++at;
  return true;
}

// Reads a tag or a length of more than one byte. Libprotobuf takes at most 5
// bytes for either, but tfprof also reads lengths of 2 GiB and more.
bool ReadLong(const char*& at, const char* end, uint64_t& value) {
  uint64_t v = 0;
  for (int shift = 0; shift < 35 && at < end; shift += 7) {
    const auto byte = static_cast<unsigned char>(*at++);
    v |= static_cast<uint64_t>(byte & 0x7f) << shift;
    if (byte < 0x80) {
      value = v;
      return true;
    }
  }
  return false;
}

// Libprotobuf ignores the upper bits of a tag.
uint32_t TagOf(uint64_t number) { return static_cast<uint32_t>(number); }

bool ReadShort(const char*& at, const char* end, uint64_t& value) {
  if (at < end && static_cast<signed char>(*at) >= 0) {
    value = static_cast<unsigned char>(*at++);
    return true;
  }
  return ReadLong(at, end, value);
}

// Moves `at` behind the fields of a group and its end. `depth` messages
// surround the group.
bool SkipGroup(const char*& at, const char* end, uint32_t number,
               size_t depth) {
  std::array<uint32_t, MessageCheck::kMaxDepth> open;
  size_t groups = 0;
  if (depth >= MessageCheck::kMaxDepth) return false;
  open[groups++] = number;
  while (groups > 0) {
    uint64_t tag, size;
    if (!ReadShort(at, end, tag) || TagOf(tag) < 8) return false;
    const uint32_t field = TagOf(tag) >> 3;
    switch (tag & 7) {
      case 0:
        if (!SkipVarint(at, end)) return false;
        break;
      case 1:
      case 5:
        size = (tag & 7) == 1 ? 8 : 4;
        if (static_cast<uint64_t>(end - at) < size) return false;
        at += size;
        break;
      case 2:
        if (!ReadShort(at, end, size) ||
            size > static_cast<uint64_t>(end - at)) {
          return false;
        }
        at += size;
        break;
      case 3:
        if (depth + groups >= MessageCheck::kMaxDepth) return false;
        open[groups++] = field;
        break;
      case 4:
        if (open[--groups] != field) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

// Returns the parts of a text that are not empty.
std::vector<std::string_view> Split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const size_t end = std::min(text.find(separator), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

bool AreVarints(const char* at, const char* end) {
  while (at < end) {
    if (!SkipVarint(at, end)) return false;
  }
  return true;
}

}  // namespace

void MessageCheck::Type::Set(uint32_t number, Kind kind) {
  if (number < low.size()) {
    low[number] = kind;
  } else {
    high.push_back({number, kind});
  }
}

MessageCheck::MessageCheck(const Descriptor& type) {
  std::vector<const Descriptor*> known = {&type};
  for (size_t t = 0; t < known.size(); ++t) {
    Type made;
    for (int i = 0; i < known[t]->field_count(); ++i) {
      const FieldDescriptor& field = *known[t]->field(i);
      Kind kind = kLeaf;
      if (const Descriptor* of = field.message_type(); of != nullptr) {
        const auto found = std::find(known.begin(), known.end(), of);
        kind = static_cast<Kind>(kMessage + (found - known.begin()));
        if (found == known.end()) known.push_back(of);
      } else if (field.is_packable()) {
        switch (field.type()) {
          case FieldDescriptor::TYPE_FIXED32:
          case FieldDescriptor::TYPE_SFIXED32:
          case FieldDescriptor::TYPE_FLOAT:
            kind = kFixed32;
            break;
          case FieldDescriptor::TYPE_FIXED64:
          case FieldDescriptor::TYPE_SFIXED64:
          case FieldDescriptor::TYPE_DOUBLE:
            kind = kFixed64;
            break;
          default:
            kind = kVarints;
        }
      }
      made.Set(static_cast<uint32_t>(field.number()), kind);
    }
    types_.push_back(std::move(made));
  }
}

MessageCheck::MessageCheck(std::string_view table) {
  std::vector<std::vector<std::string_view>> lines;
  absl::flat_hash_map<std::string_view, Kind> kinds = {{"", kLeaf},
                                                       {"int", kVarints},
                                                       {"fixed32", kFixed32},
                                                       {"fixed64", kFixed64}};
  for (const std::string_view line : Split(table, '\n')) {
    const std::vector<std::string_view> words = Split(line, ' ');
    if (line.starts_with(' ') && !lines.empty()) {
      lines.back().insert(lines.back().end(), words.begin(), words.end());
      continue;
    }
    lines.push_back(words);
    kinds[lines.back().front()] =
        static_cast<Kind>(kMessage + lines.size() - 1);
  }
  for (const std::vector<std::string_view>& line : lines) {
    Type& made = types_.emplace_back();
    for (size_t i = 1; i < line.size(); ++i) {
      const std::string_view numbers = line[i].substr(0, line[i].find(':'));
      std::string_view name = line[i].substr(numbers.size());
      if (!name.empty()) name.remove_prefix(1);
      const auto kind = kinds.find(name);
      bool is_right = kind != kinds.end();
      for (const std::string_view number : Split(numbers, ',')) {
        uint32_t field = 0;
        const char* const end = number.data() + number.size();
        is_right &= std::from_chars(number.data(), end, field).ptr == end;
        if (is_right) made.Set(field, kind->second);
      }
      if (!is_right && wrong_word_.empty()) wrong_word_ = line[i];
    }
  }
}

const char* MessageCheck::FirstDamage(
    std::string_view message, const util::Cancellation* cancellation) const {
  constexpr uint32_t kFieldsBetweenQuestions = 1 << 16;
  uint32_t fields = 0;
  struct Level {
    const char* end;
    const Type* type;
  };
  std::array<Level, kMaxDepth> around;
  size_t depth = 0;
  const char* at = message.data();
  const char* end = at + message.size();
  const Type* type = types_.data();
  for (;;) {
    while (at == end) {
      if (depth == 0) return nullptr;
      --depth;
      end = around[depth].end;
      type = around[depth].type;
    }
    if (++fields % kFieldsBetweenQuestions == 0 && IsCancelled(cancellation)) {
      return nullptr;
    }
    const char* const field = at;
    uint64_t tag;
    if (!ReadShort(at, end, tag) || TagOf(tag) < 8) return field;
    switch (tag & 7) {
      case 0:
        if (!SkipVarint(at, end)) return field;
        break;
      case 1:
        if (end - at < 8) return field;
        at += 8;
        break;
      case 2: {
        uint64_t size;
        if (!ReadShort(at, end, size) ||
            size > static_cast<uint64_t>(end - at)) {
          return field;
        }
        const Kind kind = type->KindOf(TagOf(tag) >> 3);
        if (kind >= kMessage) {
          if (depth == kMaxDepth) return field;
          around[depth++] = {end, type};
          end = at + size;
          type = &types_[kind - kMessage];
          break;
        }
        if ((kind == kVarints && !AreVarints(at, at + size)) ||
            (kind == kFixed32 && size % 4 != 0) ||
            (kind == kFixed64 && size % 8 != 0)) {
          return field;
        }
        at += size;
        break;
      }
      case 3:
        if (!SkipGroup(at, end, TagOf(tag) >> 3, depth)) {
          return field;
        }
        break;
      case 5:
        if (end - at < 4) return field;
        at += 4;
        break;
      default:
        return field;
    }
  }
}

std::optional<uint64_t> MessageCheck::FindDamage(
    std::string_view message, const util::Cancellation* cancellation) const {
  const char* const damage = FirstDamage(message, cancellation);
  if (damage == nullptr) return std::nullopt;
  return static_cast<uint64_t>(damage - message.data());
}

}  // namespace tfprof::loaders
