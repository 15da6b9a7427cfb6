#include "profile/tables/kernel_counters.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "absl/strings/ascii.h"

namespace tfprof::profile {

KernelCounters::Kind KindOfCounter(std::string_view name) {
  // Words for shares and rates in the documentation of AMD's and NVIDIA's
  // tools.
  constexpr std::string_view kShares[] = {
      "hit",   "busy", "stalled", "utilization", "conflict",   "occupancy",
      "ratio", "rate", "percent", "pct",         "per_second", "%"};
  std::string lower(name);
  absl::AsciiStrToLower(&lower);
  const bool is_share = std::any_of(
      std::begin(kShares), std::end(kShares),
      [&](std::string_view part) { return lower.find(part) != lower.npos; });
  // "VALUInsts" is a count per work-item; the raw "SQ_INSTS_VALU" is a sum.
  return is_share || name.ends_with("Insts") ? KernelCounters::Kind::kMean
                                             : KernelCounters::Kind::kSum;
}

}  // namespace tfprof::profile
