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
// a scalar, skips the value, or enters it and goes through all its members. The
// reader neither allocates nor recurses. Offsets are 64-bit. Skipping scans 16
// bytes at a time.
//
// Strings are views of the text between the quotes, with their escapes;
// DecodeJsonString decodes them. Numbers are text too (util/text/decimal.h),
// since a double would lose digits; NaN, Infinity, true and null are words.
//
// It accepts common deviations from JSON: extra commas, NaN and Infinity,
// unknown escapes, and control characters in strings except line feeds. A line
// feed in a string is damage: it reveals a missing or unescaped quote before
// the string swallows the rest of the file. Damage is a state with an offset:
// all later calls fail.

#ifndef TFPROF_UTIL_JSON_JSON_READER_H_
#define TFPROF_UTIL_JSON_JSON_READER_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof::util {

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

  // Starts at `offset` of `text`.
  explicit JsonReader(std::string_view text, size_t offset = 0)
      : begin_(text.data()), at_(begin_ + offset), end_(begin_ + text.size()) {}

  // Returns the kind of the next value without taking it.
  Kind Peek();

  // Takes the opening bracket of an object or array. Returns false, without
  // damage, if something else is here.
  bool EnterObject() { return Enter('{'); }
  bool EnterArray() { return Enter('['); }
  // Goes to the next member of the innermost open object. Returns false at its
  // end and after damage.
  bool NextMember(std::string_view& key);
  // Goes to the next element of the innermost open array.
  bool NextElement();

  // Takes a string. Returns false, without damage, if something else is here.
  bool ReadString(std::string_view& raw);
  // Takes a number or a word. Returns false, without damage, if something else
  // is here.
  bool ReadNumber(std::string_view& text);
  // Takes a string, number or word and returns its text without quotes. Returns
  // false, without damage, if an object or array is here.
  bool ReadScalar(std::string_view& raw);
  // Takes any value and returns its text, with brackets or quotes; returns an
  // empty text after damage.
  std::string_view Skip();

  // Continues, without damage, at another place of the text: in an array of
  // this depth, before an element or (`after_value`) after one.
  void ContinueAt(size_t offset, int64_t depth, bool after_value) {
    at_ = begin_ + offset;
    depth_ = depth;
    after_value_ = after_value;
    expected_ = nullptr;
  }

  // The offset from the beginning of the text.
  size_t offset() const { return static_cast<size_t>(at_ - begin_); }
  // The number of open objects and arrays.
  int64_t depth() const { return depth_; }

  // Records damage found by the caller: `expected` is missing at `offset` of
  // the text. The first damage stays.
  void Reject(size_t offset, const char* expected) {
    if (damaged()) return;
    at_ = begin_ + offset;
    Fail(expected);
  }

  bool damaged() const { return expected_ != nullptr; }
  // The text ended too early.
  bool truncated() const { return damaged() && at_ == end_; }
  // Returns "byte 18231: expected ':', found 'x'", for a text that begins at
  // `base` of its file.
  std::string Describe(size_t base = 0) const;

 private:
  bool Enter(char bracket);
  // Skips commas and spaces. Returns false at `bracket`, which it takes, and at
  // damage.
  bool NextItem(char bracket);
  bool Fail(const char* expected) {
    if (expected_ == nullptr) expected_ = expected;
    return false;
  }
  // There is usually at most one space.
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

// Decodes the string `raw`. The result is `raw` itself if it has no backslash;
// otherwise it is in `buffer`. \uXXXX becomes UTF-8, and half of a surrogate
// pair becomes U+FFFD. A backslash that begins no escape stays.
std::string_view DecodeJsonString(std::string_view raw, std::string& buffer);

// Checks that `text` is a number by the rules of JSON; the reader accepts more.
bool IsJsonNumber(std::string_view text);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_JSON_JSON_READER_H_
