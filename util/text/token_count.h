// Estimates how many tokens a language model reads in a text. The estimate is
// high rather than low, because models differ.
//
// A run of letters counts one token per 4 letters, a run of digits one per 3
// digits, and each other character except a space or line feed counts as one.

#ifndef TFPROF_UTIL_TEXT_TOKEN_COUNT_H_
#define TFPROF_UTIL_TEXT_TOKEN_COUNT_H_

#include <cstddef>
#include <string_view>

namespace tfprof::util {

inline size_t CountTokens(std::string_view text) {
  enum class Kind { kOther, kLetter, kDigit };
  const auto kind_of = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ? Kind::kLetter
           : c >= '0' && c <= '9'                           ? Kind::kDigit
                                                            : Kind::kOther;
  };
  size_t tokens = 0;
  size_t run = 0;  // characters of the current token
  Kind last = Kind::kOther;
  for (const char c : text) {
    const Kind kind = kind_of(c);
    const size_t most = kind == Kind::kLetter ? 4 : 3;
    if (kind == Kind::kOther) {
      // Continuation bytes belong to the character before them.
      tokens += c != ' ' && c != '\n' && (c & 0xc0) != 0x80;
    } else if (kind != last || run == most) {
      ++tokens;
      run = 1;
    } else {
      ++run;
    }
    last = kind;
  }
  return tokens;
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_TOKEN_COUNT_H_
