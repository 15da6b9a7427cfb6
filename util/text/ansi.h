// Escape sequences for coloured text on a terminal. The writer decides whether
// to use colour (Screen::color).

#ifndef TFPROF_UTIL_TEXT_ANSI_H_
#define TFPROF_UTIL_TEXT_ANSI_H_

#include <string_view>

namespace tfprof::util {

inline constexpr std::string_view kBold = "\x1b[1m";
inline constexpr std::string_view kDim = "\x1b[2m";
inline constexpr std::string_view kRed = "\x1b[31m";
inline constexpr std::string_view kYellow = "\x1b[33m";
inline constexpr std::string_view kGreen = "\x1b[32m";
inline constexpr std::string_view kMagenta = "\x1b[35m";
inline constexpr std::string_view kCyan = "\x1b[36m";
// Black letters on a coloured background.
inline constexpr std::string_view kOnYellow = "\x1b[30;43m";
inline constexpr std::string_view kOnCyan = "\x1b[30;46m";
inline constexpr std::string_view kOnWhite = "\x1b[30;47m";
inline constexpr std::string_view kReset = "\x1b[0m";

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_ANSI_H_
