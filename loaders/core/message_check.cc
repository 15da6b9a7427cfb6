#include "loaders/core/message_check.h"

#include <algorithm>
#include <charconv>

#include "absl/container/flat_hash_map.h"
#include "google/protobuf/descriptor.h"

namespace tfprof::loaders {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

constexpr uint32_t kFieldsBetweenQuestions = 1 << 16;

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
      const bool is_used = !line[i].starts_with('-');
      const bool is_special = line[i].starts_with('?');
      const std::string_view word =
          line[i].substr(is_used && !is_special ? 0 : 1);
      const std::string_view numbers = word.substr(0, word.find(':'));
      std::string_view name = word.substr(numbers.size());
      if (!name.empty()) name.remove_prefix(1);
      const auto kind = kinds.find(name);
      bool is_right = kind != kinds.end();
      for (const std::string_view number : Split(numbers, ',')) {
        uint32_t field = 0;
        const char* const end = number.data() + number.size();
        is_right &= std::from_chars(number.data(), end, field).ptr == end;
        if (!is_right) continue;
        made.Set(field, kind->second | (is_used ? 0 : kUnused) |
                            (is_special ? kSpecial : 0));
      }
      if (!is_right && wrong_word_.empty()) wrong_word_ = line[i];
    }
  }
}

// Moves `at` behind the field there. `content` is that of a length-delimited
// field. Returns false if the field is damaged; `content` is then what is there
// of it, or has no data.
inline bool MessageCheck::TakeField(const char*& at, const char* end,
                                    size_t depth, uint64_t& tag,
                                    std::string_view& content) {
  if (!ReadShort(at, end, tag) || TagOf(tag) < 8) return false;
  switch (tag & 7) {
    case 0:
      return SkipVarint(at, end);
    case 1:
    case 5: {
      const ptrdiff_t size = (tag & 7) == 1 ? 8 : 4;
      if (end - at < size) return false;
      at += size;
      return true;
    }
    case 2: {
      uint64_t size;
      if (!ReadShort(at, end, size)) return false;
      const auto left = static_cast<uint64_t>(end - at);
      content = {at, static_cast<size_t>(std::min(size, left))};
      at += content.size();
      return size <= left;
    }
    case 3:
      return SkipGroup(at, end, TagOf(tag) >> 3, depth);
    default:
      return false;
  }
}

// Returns whether packed numbers are whole.
bool MessageCheck::IsWhole(Kind kind, std::string_view numbers) {
  switch (kind) {
    case kVarints:
      return AreVarints(numbers.data(), numbers.data() + numbers.size());
    case kFixed32:
      return numbers.size() % 4 == 0;
    case kFixed64:
      return numbers.size() % 8 == 0;
    default:
      return true;
  }
}

const char* MessageCheck::FirstDamage(
    std::string_view message, const util::Cancellation* cancellation) const {
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
    std::string_view content;
    if (!TakeField(at, end, depth, tag, content)) return field;
    if ((tag & 7) != 2) continue;
    const Kind kind = type->KindOf(TagOf(tag) >> 3);
    if (kind >= kMessage) {
      if (depth == kMaxDepth) return field;
      around[depth++] = {end, type};
      at = content.data();
      end = at + content.size();
      type = &types_[kind - kMessage];
    } else if (!IsWhole(kind, content)) {
      return field;
    }
  }
}

ByteAccount MessageCheck::Account(std::string_view message,
                                  const util::Cancellation* cancellation,
                                  const SpecialFields& special) const {
  ByteAccount account;
  uint32_t fields = 0;
  struct Level {
    const char* end;
    const Type* type;
    int64_t* good;  // where bytes that are not damaged belong
  };
  std::array<Level, kMaxDepth> around;
  size_t depth = 0;
  const char* at = message.data();
  const char* const file_end = at + message.size();
  Level level = {file_end, types_.data(), &account.read};
  for (;;) {
    while (at == level.end) {
      if (depth == 0) return account;
      level = around[--depth];
    }
    if (++fields % kFieldsBetweenQuestions == 0 && IsCancelled(cancellation)) {
      return account;
    }
    const char* const field = at;
    uint64_t tag = 0;
    std::string_view content;
    const bool is_whole = TakeField(at, level.end, depth, tag, content);
    const Kind use = level.type->UseOf(TagOf(tag) >> 3);
    const Kind kind = use & ~(kUnused | kSpecial);
    const bool is_message = (tag & 7) == 2 && kind >= kMessage;
    if (!is_whole && (!is_message || content.data() == nullptr ||
                      level.end != file_end || depth == kMaxDepth)) {
      account.damaged += level.end - field;
      at = level.end;
      continue;
    }
    int64_t* good =
        kind == kUnknown || (use & kUnused) != 0 ? &account.unused : level.good;
    const MessageCheck* embedded = nullptr;
    if ((use & kSpecial) != 0) {
      if (const auto it = special.find(content.data()); it != special.end()) {
        if (!it->second.is_used) good = &account.unused;
        embedded = it->second.message;
      }
    }
    if (embedded != nullptr) {
      *good += content.data() - field;
      account += embedded->Account(content, cancellation);
    } else if (!is_message) {
      const bool is_good = (tag & 7) != 2 || IsWhole(kind, content);
      *(is_good ? good : &account.damaged) += at - field;
    } else if (depth == kMaxDepth) {
      account.damaged += at - field;
    } else {
      *good += content.data() - field;
      around[depth++] = level;
      at = content.data();
      level = {at + content.size(), &types_[kind - kMessage], good};
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
