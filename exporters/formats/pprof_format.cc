#include "exporters/formats/pprof_format.h"

#include "profile/steps/time_column.h"

namespace tfprof::exporters {

std::string_view PprofUnit(const accounting::Statistic& statistic,
                           int64_t ticks_per_micro) {
  if (statistic.unit != util::Unit::kMicros)
    return util::UnitName(statistic.unit);
  return ticks_per_micro == 1 ? "microseconds" : "nanoseconds";
}

int64_t PprofValue(const accounting::Statistic& statistic,
                   int64_t ticks_per_micro, int64_t value) {
  return statistic.unit != util::Unit::kMicros || ticks_per_micro == 1
             ? value
             : profile::TicksToNanos(value, ticks_per_micro);
}

absl::Status PprofTooLarge() {
  return absl::ResourceExhaustedError(
      "the pprof profile would exceed 2 GiB; show fewer rows "
      "(-max_depth, -min_micros, -show_name_regexes)");
}

}  // namespace tfprof::exporters
