// JsonReader: a pull parser for JSON of any size.
//
//   JsonReader r(text);
//   std::string_view key, name;
//   for (bool in = r.EnterObject(); in && r.NextMember(key);) {
//     if (key == "name") {
//       r.ReadString(name);
//     } else {
//       r.Skip();
//     }
//   }
//   if (r.damaged()) … r.Describe(…) …
//
// After NextMember or NextElement the caller takes exactly one value: it reads
// a scalar, skips the value, or enters it and goes through all its members.
// Nothing is allocated, nothing recurses, offsets are 64-bit. Skipping looks at
// 16 bytes at a time.
//
// Strings are views of the text between the quotes, with their escapes;
// DecodeJsonString removes those. Numbers are text too (util/decimal.h), since
// a double would lose digits; NaN, Infinity, true and null are words.
//
// It accepts what is not JSON and is met in files: commas too many, NaN and
// Infinity, unknown escapes, control characters except for a line feed in a
// string. A line feed there is damage, because a string with an unescaped quote
// ends at the wrong place and is noticed so before it swallows the rest of the
// file. Damage is a state with an offset: all calls fail from then on.

#ifndef TFPROF_UTIL_JSON_READER_H_
#define TFPROF_UTIL_JSON_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof {

class JsonReader {
 public:
  enum class Kind : uint8_t {
    kNone,  // no value begins here
    kObject,
    kArray,
    kString,
    kNumber,
    kWord,  // true, false, null, NaN, Infinity
  };

  // Reads from `offset` of `text`.
  explicit JsonReader(std::string_view text, size_t offset = 0)
      : begin_(text.data()), at_(begin_ + offset), end_(begin_ + text.size()) {}

  // What comes next. Does not take it.
  Kind Peek();

  // Takes the bracket of an object or array. False: something else is here; it
  // stays, and this is no damage.
  bool EnterObject() { return Enter('{'); }
  bool EnterArray() { return Enter('['); }
  // Goes to the next member of the object that was entered last. False: it has
  // ended, or damage.
  bool NextMember(std::string_view& key);
  // Goes to the next element of the array that was entered last.
  bool NextElement();

  // Takes a string. False, without damage: something else is here.
  bool ReadString(std::string_view& raw);
  // Takes a number or a word. False, without damage: something else is here.
  bool ReadNumber(std::string_view& text);
  // Takes a string, number or word: its text without quotes. False, without
  // damage: an object or array is here.
  bool ReadScalar(std::string_view& raw);
  // Takes any value; the result is its text, with brackets or quotes. Empty at
  // damage.
  std::string_view Skip();

  // Goes on at another place of the text, without damage: in an array of this
  // depth, before an element or (`after_value`) behind one.
  void ContinueAt(size_t offset, int64_t depth, bool after_value) {
    at_ = begin_ + offset;
    depth_ = depth;
    after_value_ = after_value;
    expected_ = nullptr;
  }

  // From the beginning of the text.
  size_t offset() const { return static_cast<size_t>(at_ - begin_); }
  // How many objects and arrays were entered and have not ended.
  int64_t depth() const { return depth_; }

  // Damage that the caller sees: `expected` is not at `offset` of the text. The
  // first damage stays.
  void Reject(size_t offset, const char* expected) {
    if (damaged()) return;
    at_ = begin_ + offset;
    Fail(expected);
  }

  bool damaged() const { return expected_ != nullptr; }
  // The text ends where more was expected.
  bool truncated() const { return damaged() && at_ == end_; }
  // "byte 18231: expected ':', found 'x'", for a text that begins at `base` of
  // its file.
  std::string Describe(size_t base = 0) const;

 private:
  bool Enter(char bracket);
  // Goes over commas and spaces. False at `bracket`, which it takes, and at
  // damage.
  bool NextItem(char bracket);
  bool Fail(const char* expected) {
    if (expected_ == nullptr) expected_ = expected;
    return false;
  }
  // Most often none or one space is there.
  void SkipSpace() {
    if (end_ - at_ < 2) return SkipSpaces();
    if (static_cast<unsigned char>(at_[0]) > ' ') return;
    if (static_cast<unsigned char>(at_[1]) > ' ') {
      ++at_;
      return;
    }
    SkipSpaces();
  }
  void SkipSpaces();
  bool TakeString(std::string_view& raw);
  bool TakeWord(std::string_view& text);
  bool SkipNested();

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* expected_ = nullptr;  // nullptr: no damage
  int64_t depth_ = 0;
  bool after_value_ = false;  // in the innermost object or array
};

// The string that `raw` stands for. Without a backslash that is `raw` itself,
// otherwise it is in `buffer`. \uXXXX becomes UTF-8, half of a surrogate pair
// U+FFFD. A backslash that begins no escape stays.
std::string_view DecodeJsonString(std::string_view raw, std::string& buffer);

// Whether `text` is a number as JSON has them; the reader takes more.
bool IsJsonNumber(std::string_view text);

}  // namespace tfprof

#endif  // TFPROF_UTIL_JSON_READER_H_
