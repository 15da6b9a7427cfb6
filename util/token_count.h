// How many tokens a language model reads in a text: an estimate, which is
// rather too large than too small, because the tokens of each model differ.
//
// A run of letters has a token for each 4, a run of digits for each 3, and each
// other character that is no blank is one.

#ifndef TFPROF_UTIL_TOKEN_COUNT_H_
#define TFPROF_UTIL_TOKEN_COUNT_H_

#include <cstddef>
#include <string_view>

namespace tfprof {

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
      // The further bytes of a character are parts of it.
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

}  // namespace tfprof

#endif  // TFPROF_UTIL_TOKEN_COUNT_H_
