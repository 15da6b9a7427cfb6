// Formats a part of a whole as a percentage.

#ifndef TFPROF_UTIL_TEXT_PERCENT_H_
#define TFPROF_UTIL_TEXT_PERCENT_H_

#include <cstdint>
#include <string>

#include "fmt/format.h"

namespace tfprof::util {

// "12.3%"; "0.0%" if the whole is 0.
inline std::string Percent(int64_t part, int64_t whole) {
  return fmt::format("{:.1f}%", whole == 0 ? 0
                                           : 100.0 * static_cast<double>(part) /
                                                 static_cast<double>(whole));
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_PERCENT_H_
