// The escape sequences that colour a terminal's text. Whether there is colour
// at all is decided by who writes (Screen::color).

#ifndef TFPROF_UTIL_ANSI_H_
#define TFPROF_UTIL_ANSI_H_

#include <string_view>

namespace tfprof {

inline constexpr std::string_view kBold = "\x1b[1m";
inline constexpr std::string_view kDim = "\x1b[2m";
inline constexpr std::string_view kRed = "\x1b[31m";
inline constexpr std::string_view kYellow = "\x1b[33m";
inline constexpr std::string_view kReset = "\x1b[0m";

}  // namespace tfprof

#endif  // TFPROF_UTIL_ANSI_H_
