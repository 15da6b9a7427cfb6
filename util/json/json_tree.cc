#include "util/json/json_tree.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "fmt/format.h"
#include "util/text/utf8.h"

namespace tfprof::util {
namespace {

// Returns the position of a byte that JSON does not allow, or npos.
size_t FindBadByte(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const auto byte = static_cast<unsigned char>(text[at]);
    if (byte < ' ' && byte != '\t' && byte != '\r' && byte != '\n') return at;
    const Utf8Character character = FirstUtf8(text.substr(at));
    if (byte >= 0x80 && !character.good) return at;
    at += character.size;
  }
  return text.npos;
}

bool IsHexDigit(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') ||
         (c >= 'A' && c <= 'F');
}

// Checks for "\u" and four hexadecimal digits at the beginning of `text`.
bool IsUnicodeEscape(std::string_view text) {
  return text.size() >= 6 && text.starts_with("\\u") &&
         std::all_of(text.data() + 2, text.data() + 6, IsHexDigit);
}

// Checks that the upper byte of a \u escape is from `first` to `last`.
bool IsBetween(std::string_view escape, int first, int last) {
  int high = 0;
  std::from_chars(escape.data() + 2, escape.data() + 4, high, 16);
  return high >= first && high <= last;
}

// Returns the position of an invalid escape or control character in `raw`, the
// text between the quotes, or npos.
size_t FindBadEscape(std::string_view raw) {
  for (size_t at = 0; (at = raw.find_first_of("\\\t\r", at)) != raw.npos;) {
    const std::string_view rest = raw.substr(at);
    if (rest[0] != '\\') return at;
    if (IsUnicodeEscape(rest)) {
      // The first half of a surrogate pair needs the second.
      const std::string_view second = rest.substr(6);
      if (IsBetween(rest, 0xd8, 0xdb) &&
          (!IsUnicodeEscape(second) || !IsBetween(second, 0xdc, 0xdf))) {
        return at;
      }
      at += 6;
    } else if (std::string_view("\"\\/bfnrt").find(rest[1]) != raw.npos) {
      at += 2;
    } else {
      return at;
    }
  }
  return raw.npos;
}

}  // namespace

JsonValue JsonValue::operator[](std::string_view name) const {
  JsonValue found;
  if (!IsObject()) return found;
  for (const JsonValue member : *this) {
    const Node& node = *member.node_;
    const std::string_view key = text_.substr(node.key, node.key_size);
    const bool has_escape = key.find('\\') != key.npos;
    if (has_escape ? member.Key() == name : key == name) found = member;
  }
  return found;
}

size_t JsonValue::size() const {
  size_t size = 0;
  for (Iterator at = begin(); at != end(); ++at) ++size;
  return size;
}

std::string JsonValue::Decoded(size_t begin, size_t size) const {
  std::string buffer;
  return std::string(DecodeJsonString(text_.substr(begin, size), buffer));
}

std::optional<std::string> JsonValue::String() const {
  if (kind() != Kind::kString) return std::nullopt;
  return Decoded(node_->begin + 1, node_->size - 2);
}

std::optional<bool> JsonValue::Bool() const {
  if (kind() != Kind::kWord || raw() == "null") return std::nullopt;
  return raw() == "true";
}

template <typename T>
std::optional<T> JsonValue::Number() const {
  if (kind() != Kind::kNumber) return std::nullopt;
  const std::string_view number = raw();
  const char* const end = number.data() + number.size();
  T value = 0;
  const auto result = std::from_chars(number.data(), end, value);
  const bool good = result.ec == std::errc() && result.ptr == end;
  return good ? std::optional<T>(value) : std::nullopt;
}

std::optional<int64_t> JsonValue::Int() const { return Number<int64_t>(); }
std::optional<uint64_t> JsonValue::Uint() const { return Number<uint64_t>(); }
std::optional<double> JsonValue::Double() const { return Number<double>(); }

void JsonTree::Add(JsonReader& reader, std::string_view key) {
  JsonValue::Node node;
  node.kind = reader.Peek();
  node.begin = static_cast<uint32_t>(reader.offset());
  if (!key.empty()) {
    node.key = static_cast<uint32_t>(key.data() - text_.data());
    node.key_size = static_cast<uint32_t>(key.size());
  }
  if (nodes_.size() == kMaxValues) {
    return reader.Reject(node.begin, "the end after 4194304 values");
  }
  std::string_view raw;
  switch (node.kind) {
    case JsonReader::Kind::kObject:
    case JsonReader::Kind::kArray:
      open_.push_back(static_cast<uint32_t>(nodes_.size()));
      if (!reader.EnterObject()) reader.EnterArray();
      break;
    case JsonReader::Kind::kString:
      if (!reader.ReadString(raw)) break;
      if (const size_t at = FindBadEscape(raw); at != raw.npos) {
        reader.Reject(node.begin + 1 + at, "a character or an escape");
      }
      break;
    case JsonReader::Kind::kNumber:
      if (reader.ReadNumber(raw) && !IsJsonNumber(raw)) {
        reader.Reject(node.begin, "a number");
      }
      break;
    case JsonReader::Kind::kWord:
      reader.ReadNumber(raw);
      if (raw == "true" || raw == "false" || raw == "null") break;
      [[fallthrough]];
    case JsonReader::Kind::kNone:
      reader.Reject(node.begin, "a value");
  }
  node.size = static_cast<uint32_t>(reader.offset()) - node.begin;
  nodes_.push_back(node);
}

bool JsonTree::Next(JsonReader& reader, std::string_view& key) {
  while (!open_.empty() && !reader.damaged()) {
    JsonValue::Node& parent = nodes_[open_.back()];
    const bool is_object = parent.kind == JsonReader::Kind::kObject;
    const bool is_first = nodes_.size() == open_.back() + 1;
    const size_t before = reader.offset();
    const bool more = is_object ? reader.NextMember(key) : reader.NextElement();
    if (reader.damaged()) return false;
    // The reader accepts any number of commas; count them here.
    size_t at = reader.offset() - (more ? 0 : 1);
    if (more && is_object) {
      at = static_cast<size_t>(key.data() - text_.data()) - 1;
      if (const size_t bad = FindBadEscape(key); bad != key.npos) {
        reader.Reject(at + 1 + bad, "a character or an escape");
      }
    }
    const std::string_view between = text_.substr(before, at - before);
    const ptrdiff_t wanted = more && !is_first ? 1 : 0;
    if (std::count(between.begin(), between.end(), ',') != wanted) {
      reader.Reject(more ? before + between.rfind(',') : at,
                    is_object ? "a key" : "a value");
    }
    if (more) return true;
    parent.size = static_cast<uint32_t>(reader.offset()) - parent.begin;
    parent.count = static_cast<uint32_t>(nodes_.size()) - open_.back();
    open_.pop_back();
  }
  return false;
}

absl::StatusOr<JsonTree> JsonTree::Parse(std::string_view text, size_t base) {
  JsonTree tree(text);
  JsonReader reader(text);
  const size_t bad = FindBadByte(text);
  if (text.size() > std::numeric_limits<uint32_t>::max()) {
    reader.Reject(0, "a text of less than 4 GiB");
  } else if (bad != text.npos) {
    reader.Reject(bad, "UTF-8 without control characters");
  }
  std::string_view key;
  while (!reader.damaged()) {
    tree.Add(reader, key);
    key = {};
    if (!tree.Next(reader, key)) break;
  }
  if (!reader.damaged()) {
    reader.Peek();  // skips spaces
    if (reader.offset() != text.size()) {
      reader.Reject(reader.offset(), "the end");
    }
  }
  if (!reader.damaged()) return tree;
  std::string message = reader.Describe(base);
  message.insert(message.find(':'), ": not JSON");
  return absl::InvalidArgumentError(message);
}

}  // namespace tfprof::util
