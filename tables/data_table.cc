#include "tables/data_table.h"

namespace tfprof {

std::string_view UnitName(Unit unit) {
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

Unit UnitNamed(std::string_view name) {
  for (const Unit unit :
       {Unit::kText, Unit::kCount, Unit::kMicros, Unit::kBytes, Unit::kShare}) {
    if (UnitName(unit) == name) return unit;
  }
  return Unit::kNumber;
}

}  // namespace tfprof
