// Unit: the unit of the numbers in a column, a statistic or a limit.
//
// Times are in microseconds and memory is in bytes, both unscaled; a share is 0
// to 1. A count may be added up; a number (of a step, of an input) may not.

#ifndef TFPROF_UTIL_TEXT_UNIT_H_
#define TFPROF_UTIL_TEXT_UNIT_H_

#include <initializer_list>
#include <string_view>

namespace tfprof::util {

enum class Unit { kText, kCount, kMicros, kBytes, kShare, kNumber };

// Returns the name for programs, such as "micros".
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

// Returns the unit with this name, kNumber if there is none.
constexpr Unit UnitNamed(std::string_view name) {
  for (const Unit unit :
       {Unit::kText, Unit::kCount, Unit::kMicros, Unit::kBytes, Unit::kShare}) {
    if (UnitName(unit) == name) return unit;
  }
  return Unit::kNumber;
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_UNIT_H_
