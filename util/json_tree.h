// JsonTree: a small text of JSON as a tree.
//
//   absl::StatusOr<JsonTree> tree = JsonTree::Parse(text);
//   if (!tree.ok()) return tree.status();  // "byte 7: not JSON: expected …"
//   const JsonValue root = tree->root();
//   const std::optional<int64_t> row = root["row"].Int();
//   for (const JsonValue step : root["steps"]) …
//
// For requests, settings and metadata: the whole text is checked, and values
// can be asked for in any order. Large files are read by JsonReader, which
// keeps nothing and forgives much. The tree takes what RFC 8259 allows and
// nothing else: UTF-8, one comma between values, no NaN, no unknown escape, no
// control character in a string, nothing behind the value.
//
// Values lie in one flat list, so nesting of any depth uses no stack; a text
// has at most kMaxValues of them. The text must outlive the tree, and the tree
// its JsonValues.

#ifndef TFPROF_UTIL_JSON_TREE_H_
#define TFPROF_UTIL_JSON_TREE_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "util/json_reader.h"

namespace tfprof {

// A value of a JsonTree, or none.
class JsonValue {
 public:
  using Kind = JsonReader::Kind;

  JsonValue() = default;

  // kNone: there is no such value.
  Kind kind() const { return node_ == nullptr ? Kind::kNone : node_->kind; }
  bool Exists() const { return node_ != nullptr; }
  bool IsObject() const { return kind() == Kind::kObject; }
  bool IsArray() const { return kind() == Kind::kArray; }
  // It is there, and not null.
  bool IsGiven() const { return node_ != nullptr && raw() != "null"; }

  // The last member of this name, as Python and browsers have it; none if there
  // is none, or if this is no object.
  JsonValue operator[](std::string_view name) const;
  // The name of a member of an object.
  std::string Key() const { return Decoded(node_->key, node_->key_size); }

  // nullopt: this is none, or a value of another kind.
  std::optional<std::string> String() const;
  std::optional<bool> Bool() const;
  // nullopt, too: a number that is not written as an integer, or too large.
  std::optional<int64_t> Int() const;
  std::optional<uint64_t> Uint() const;
  std::optional<double> Double() const;

  // The text as it stands, with brackets and quotes; "" for none.
  std::string_view raw() const {
    return node_ == nullptr ? "" : text_.substr(node_->begin, node_->size);
  }
  // Where that begins in the text. 0 for none.
  size_t offset() const { return node_ == nullptr ? 0 : node_->begin; }

  // The elements of an array or the values of an object. Others have none.
  class Iterator;
  Iterator begin() const;
  Iterator end() const;
  // How many those are.
  size_t size() const;

 private:
  friend class JsonTree;
  struct Node {
    uint32_t begin = 0, size = 0;    // in the text
    uint32_t key = 0, key_size = 0;  // without quotes
    uint32_t count = 1;              // this and all values in it
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

  // InvalidArgument: "byte 12: not JSON: expected ':', found '}'", for a text
  // that begins at `base` of its file.
  static absl::StatusOr<JsonTree> Parse(std::string_view text, size_t base = 0);

  JsonValue root() const { return {text_, nodes_.data()}; }

 private:
  explicit JsonTree(std::string_view text) : text_(text) {}

  // Takes the next value of the reader, or enters it.
  void Add(JsonReader& reader, std::string_view key);
  // Goes to the next value, out of what ends before it. False: there is none.
  bool Next(JsonReader& reader, std::string_view& key);

  std::string_view text_;
  std::vector<JsonValue::Node> nodes_;
  std::vector<uint32_t> open_;  // nodes that were entered, while parsing
};

}  // namespace tfprof

#endif  // TFPROF_UTIL_JSON_TREE_H_
