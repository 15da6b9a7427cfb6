// UTF-8, of bytes that may be anything.

#ifndef TFPROF_UTIL_UTF8_H_
#define TFPROF_UTIL_UTF8_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace tfprof {

struct Utf8Character {
  uint32_t code = 0;  // the byte itself when it belongs to no character
  size_t size = 1;    // bytes
  bool good = false;  // well-formed: not too long, no surrogate, in Unicode
};

// The character at the front of `s`, which is not empty.
Utf8Character FirstUtf8(std::string_view s);

bool IsAscii(std::string_view s);

// `s` with U+FFFD for each byte that belongs to no character.
std::string ValidUtf8(std::string_view s);

}  // namespace tfprof

#endif  // TFPROF_UTIL_UTF8_H_
