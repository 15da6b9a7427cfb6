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

}  // namespace tfprof
