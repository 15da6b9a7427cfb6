// Escape sequences for coloured text on a terminal. The writer decides whether
// to use colour (Screen::color).

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
