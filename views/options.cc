#include "views/options.h"

#include "util/arithmetic.h"

namespace tfprof::views {

std::array<int64_t, accounting::kNumStats> SmallestStats(
    const ViewOptions& options, int64_t ticks_per_micro) {
  std::array<int64_t, accounting::kNumStats> min = options.min;
  for (const accounting::Statistic& s : accounting::kStatistics) {
    if (s.unit != util::Unit::kMicros) continue;
    min[s.stat] = util::SaturatingMul(min[s.stat], ticks_per_micro);
  }
  return min;
}

}  // namespace tfprof::views
