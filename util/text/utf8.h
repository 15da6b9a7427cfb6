// Reads UTF-8 from bytes that may be invalid.

#ifndef TFPROF_UTIL_TEXT_UTF8_H_
#define TFPROF_UTIL_TEXT_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof::util {

struct Utf8Character {
  uint32_t code = 0;  // the byte itself if it is not part of a character
  size_t size = 1;    // bytes
  bool good = false;  // valid: not overlong, no surrogate, in Unicode
};

// Returns the character at the front of `s`, which must not be empty.
Utf8Character FirstUtf8(std::string_view s);

bool IsAscii(std::string_view s);

// Returns `s` with each byte that is not part of a character replaced by
// U+FFFD.
std::string ValidUtf8(std::string_view s);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_UTF8_H_
