#include "util/json/json_tree.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "fmt/format.h"

namespace tfprof::util {

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
  if (key.data() != nullptr) {
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
      reader.ReadString(raw);
      break;
    case JsonReader::Kind::kNumber:
      reader.ReadNumber(raw);
      break;
    case JsonReader::Kind::kWord:
      reader.ReadNumber(raw);
      if (raw == "true" || raw == "false" || raw == "null") break;
      if (reader.damaged()) break;
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
    const bool more = is_object ? reader.NextMember(key) : reader.NextElement();
    if (reader.damaged()) return false;
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
  if (text.size() > std::numeric_limits<uint32_t>::max()) {
    reader.Reject(0, "a text of less than 4 GiB");
  }
  std::string_view key;
  while (!reader.damaged()) {
    tree.Add(reader, key);
    key = {};
    if (!tree.Next(reader, key)) break;
  }
  if (!reader.damaged() && !reader.AtEnd()) {
    reader.Reject(reader.offset(), "the end");
  }
  // The first place counts.
  std::string message = reader.deviations() > 0 ? reader.DescribeDeviation(base)
                                                : reader.Describe(base);
  if (message.empty()) return tree;
  message.insert(message.find(':'), ": not JSON");
  return absl::InvalidArgumentError(message);
}

}  // namespace tfprof::util
