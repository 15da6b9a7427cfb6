// ASCII letters and digits, independent of the locale. File formats and device
// names consist of them. Other bytes are not changed.

#ifndef TFPROF_UTIL_TEXT_ASCII_H_
#define TFPROF_UTIL_TEXT_ASCII_H_

#include <string>
#include <string_view>

namespace tfprof::util {

constexpr bool IsDigit(char c) { return c >= '0' && c <= '9'; }

inline std::string LowerCase(std::string_view s) {
  std::string lower(s);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_ASCII_H_
