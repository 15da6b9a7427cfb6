// A count with its noun, so that no message says "1 steps".

#ifndef TFPROF_UTIL_TEXT_COUNTED_H_
#define TFPROF_UTIL_TEXT_COUNTED_H_

#include <string>
#include <string_view>

#include "fmt/format.h"

namespace tfprof::util {

// "1 step", "12 steps", "1 more row": `noun` is a singular that gets an "s".
template <typename Count>
std::string Counted(Count count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_COUNTED_H_
