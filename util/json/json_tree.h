// JsonTree: a short JSON text as a tree.
//
//   absl::StatusOr<JsonTree> tree = JsonTree::Parse(text);
//   if (!tree.ok()) return tree.status();  // "byte 7: not JSON: expected …"
//   const JsonValue root = tree->root();
//   const std::optional<int64_t> row = root["row"].Int();
//   for (const JsonValue step : root["steps"]) …
//
// It is for requests, settings and metadata: it checks the whole text and gives
// access to values in any order. JsonReader reads large files; it stores
// nothing and is more lenient. The tree accepts only RFC 8259: UTF-8, one comma
// between values, no NaN, no unknown escapes, no control characters in strings,
// and nothing after the value.
//
// Values are in one flat list, so deep nesting uses no stack. A text has at
// most kMaxValues values. The text must outlive the tree, and the tree must
// outlive its JsonValues.

#ifndef TFPROF_UTIL_JSON_JSON_TREE_H_
#define TFPROF_UTIL_JSON_JSON_TREE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "util/json/json_reader.h"

namespace tfprof::util {

// A value of a JsonTree. It may be absent.
class JsonValue {
 public:
  using Kind = JsonReader::Kind;

  JsonValue() = default;

  // kNone if the value is absent.
  Kind kind() const { return node_ == nullptr ? Kind::kNone : node_->kind; }
  bool Exists() const { return node_ != nullptr; }
  bool IsObject() const { return kind() == Kind::kObject; }
  bool IsArray() const { return kind() == Kind::kArray; }
  // The value exists and is not null.
  bool IsGiven() const { return node_ != nullptr && raw() != "null"; }

  // Returns the last member of this name, as Python and browsers do. The result
  // is absent if there is no such member or if this is not an object.
  JsonValue operator[](std::string_view name) const;
  // The name of this member of an object.
  std::string Key() const { return Decoded(node_->key, node_->key_size); }

  // nullopt if the value is absent or of another kind.
  std::optional<std::string> String() const;
  std::optional<bool> Bool() const;
  // Also nullopt if the number is too large or not written as an integer.
  std::optional<int64_t> Int() const;
  std::optional<uint64_t> Uint() const;
  std::optional<double> Double() const;

  // The text of the value with brackets and quotes; "" if it is absent.
  std::string_view raw() const {
    return node_ == nullptr ? "" : text_.substr(node_->begin, node_->size);
  }
  // The offset of raw() in the text; 0 if the value is absent.
  size_t offset() const { return node_ == nullptr ? 0 : node_->begin; }

  // Where this member of an object begins in the text, with the quote of its
  // key.
  size_t member_offset() const { return node_->key - size_t{1}; }

  // Iterates over the elements of an array or the values of an object. Other
  // values have none.
  class Iterator;
  Iterator begin() const;
  Iterator end() const;
  // The number of elements or values.
  size_t size() const;

 private:
  friend class JsonTree;
  struct Node {
    uint32_t begin = 0, size = 0;    // offsets in the text
    uint32_t key = 0, key_size = 0;  // without quotes
    uint32_t count = 1;              // this value and all values in it
    Kind kind = Kind::kNone;
  };

  JsonValue(std::string_view text, const Node* node)
      : text_(text), node_(node) {}
  std::string Decoded(size_t begin, size_t size) const;
  template <typename T>
  std::optional<T> Number() const;

  std::string_view text_;
  const Node* node_ = nullptr;
};

class JsonValue::Iterator {
 public:
  JsonValue operator*() const { return {text_, node_}; }
  Iterator& operator++() {
    node_ += node_->count;
    return *this;
  }
  bool operator==(const Iterator& other) const { return node_ == other.node_; }

 private:
  friend class JsonValue;
  Iterator(std::string_view text, const Node* node)
      : text_(text), node_(node) {}

  std::string_view text_;
  const Node* node_;
};

inline JsonValue::Iterator JsonValue::begin() const {
  return {text_, node_ == nullptr ? nullptr : node_ + 1};
}
inline JsonValue::Iterator JsonValue::end() const {
  return {text_, node_ == nullptr ? nullptr : node_ + node_->count};
}

class JsonTree {
 public:
  static constexpr size_t kMaxValues = size_t{1} << 22;

  // InvalidArgument: "byte 12: not JSON: expected ':', found '}'", where the
  // text begins at `base` of its file.
  static absl::StatusOr<JsonTree> Parse(std::string_view text, size_t base = 0);

  JsonValue root() const { return {text_, nodes_.data()}; }

 private:
  explicit JsonTree(std::string_view text) : text_(text) {}

  // Takes or enters the next value of the reader.
  void Add(JsonReader& reader, std::string_view key);
  // Goes to the next value, and leaves the arrays and objects that end before
  // it. Returns false at the end.
  bool Next(JsonReader& reader, std::string_view& key);

  std::string_view text_;
  std::vector<JsonValue::Node> nodes_;
  std::vector<uint32_t> open_;  // open nodes, while parsing
};

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_JSON_JSON_TREE_H_
