#include "views/options.h"

#include "util/arithmetic.h"

namespace tfprof {

std::array<int64_t, kNumStats> SmallestStats(const ViewOptions& options,
                                             int64_t ticks_per_micro) {
  std::array<int64_t, kNumStats> min = options.min;
  for (const Statistic& s : kStatistics) {
    if (s.unit != Unit::kMicros) continue;
    min[s.stat] = SaturatingMul(min[s.stat], ticks_per_micro);
  }
  return min;
}

}  // namespace tfprof
