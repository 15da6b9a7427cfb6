#include "exporters/formats/pprof_format.h"

namespace tfprof {
std::string_view PprofUnit(const Statistic& statistic) {
  return statistic.unit == Unit::kMicros ? "microseconds"
                                         : UnitName(statistic.unit);
}

absl::Status PprofTooLarge() {
  return absl::ResourceExhaustedError(
      "the pprof profile would exceed 2 GiB; show fewer rows "
      "(-max_depth, -min_micros, -show_name_regexes)");
}

}  // namespace tfprof
