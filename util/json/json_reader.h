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
// reader does not recurse, and allocates only for keys with escapes and for
// more than 64 brackets inside brackets. Offsets are 64-bit.
//
// Strings are views of the text between the quotes, with their escapes;
// DecodeJsonString decodes them. Numbers are text too (util/text/decimal.h),
// since a double would lose digits; NaN, Infinity, true and null are words.
//
// The reader checks all that it passes, also what it skips. What is not JSON is
// either a deviation or damage. Deviations are counted, and reading goes on:
// extra commas, unknown escapes, control characters in strings and between
// values, bytes that are not UTF-8, and the numbers nan and inf as C prints
// them. NaN and Infinity, which many programs write, are no deviations. All
// else is damage, a state with an offset: all later calls fail. A line feed in
// a string is damage, too: it reveals a missing or unescaped quote before the
// string swallows the rest of the file.
//
// A byte order mark at the beginning of the text is skipped.

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
      : begin_(text.data()), at_(begin_ + offset), end_(begin_ + text.size()) {
    if (offset == 0 && text.starts_with("\xef\xbb\xbf")) at_ += 3;
  }

  // Returns the kind of the next value without taking it.
  Kind Peek();

  // Takes the opening bracket of an object or array. Returns false, without
  // damage, if something else is here.
  bool EnterObject() { return Enter('{'); }
  bool EnterArray() { return Enter('['); }
  // Goes to the next member of the innermost open object. Returns false at its
  // end and after damage.
  bool NextMember(std::string_view& key);
  // The same with the key decoded; it is valid until the next call.
  bool NextDecodedMember(std::string_view& key) {
    const int64_t before = escapes_;
    if (!NextMember(key)) return false;
    if (escapes_ != before) key = Decoded(key);
    return true;
  }
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

  // The number of deviations since the beginning, or since they were cleared.
  int64_t deviations() const { return deviations_; }
  void ClearDeviations() { deviations_ = 0; }
  // Describes the first deviation in the same way.
  std::string DescribeDeviation(size_t base = 0) const;
  // Returns true if only spaces follow. Otherwise the reader is behind them.
  bool AtEnd() {
    SkipSpace();
    return at_ == end_;
  }

 private:
  bool Enter(char bracket);
  // Skips commas and spaces. Returns false at `bracket`, which it takes, and at
  // damage.
  bool NextItem(char bracket);
  bool Fail(const char* expected) {
    if (expected_ == nullptr) expected_ = expected;
    return false;
  }
  void Deviate(const char* at, const char* expected) {
    if (deviations_++ > 0) return;
    deviation_ = at;
    deviation_expected_ = expected;
  }
  std::string Describe(const char* at, const char* expected, size_t base) const;
  // There is usually at most one space.
  void SkipSpace() {
    if (end_ - at_ < 2) return SkipSpaces();
    if (static_cast<unsigned char>(at_[0]) > ' ') return;
    if (at_[0] == ' ' && static_cast<unsigned char>(at_[1]) > ' ') {
      ++at_;
      return;
    }
    SkipSpaces();
  }
  void SkipSpaces();
  const char* StringEnd();
  size_t SpecialSize(const char* at);
  std::string_view Decoded(std::string_view key);
  bool TakeString(std::string_view& raw);
  bool TakeWord(std::string_view& text);
  bool SkipNested();

  const char* begin_;
  const char* at_;
  const char* end_;
  const char* expected_ = nullptr;  // nullptr: no damage
  int64_t depth_ = 0;
  bool after_value_ = false;  // in the innermost object or array
  int64_t escapes_ = 0;       // in strings so far
  int64_t deviations_ = 0;
  const char* deviation_ = nullptr;  // the first one
  const char* deviation_expected_ = nullptr;
  std::string key_;  // decoded
};

// Decodes the string `raw`. The result is `raw` itself if it has no backslash;
// otherwise it is in `buffer`. \uXXXX becomes UTF-8, and half of a surrogate
// pair becomes U+FFFD. A backslash that begins no escape stays.
std::string_view DecodeJsonString(std::string_view raw, std::string& buffer);

// Returns the number of spaces outside of strings in a part of JSON that begins
// outside of a string.
int64_t CountJsonSpaces(std::string_view text);

// Checks that `text` is a number by the rules of JSON; the reader accepts more.
bool IsJsonNumber(std::string_view text);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_JSON_JSON_READER_H_
