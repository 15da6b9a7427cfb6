// Unit: what the numbers of a column, of a statistic or of a limit count.
//
// Times are microseconds and memory is bytes, unscaled; a share is 0 to 1. A
// count may be added up, a number (of a step, of an input) may not.

#ifndef TFPROF_UTIL_UNIT_H_
#define TFPROF_UTIL_UNIT_H_

#include <string_view>

namespace tfprof {

enum class Unit { kText, kCount, kMicros, kBytes, kShare, kNumber };

// "micros", as programs read it.
constexpr std::string_view UnitName(Unit unit) {
  switch (unit) {
    case Unit::kText:
      return "text";
    case Unit::kCount:
      return "count";
    case Unit::kMicros:
      return "micros";
    case Unit::kBytes:
      return "bytes";
    case Unit::kShare:
      return "share";
    case Unit::kNumber:
      break;
  }
  return "number";
}

}  // namespace tfprof

#endif  // TFPROF_UTIL_UNIT_H_
