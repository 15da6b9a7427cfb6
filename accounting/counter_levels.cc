#include "accounting/counter_levels.h"

#include <algorithm>
#include <ranges>

namespace tfprof::accounting {
namespace {

// The ends of the names that the loaders give to counters of memory.
constexpr std::string_view kReserved = " reserved", kAllocated = " allocated",
                           kInUse = ": bytes in use";

}  // namespace

bool IsReserved(std::string_view counter) {
  return counter.ends_with(kReserved);
}

std::string_view AllocatorOf(std::string_view counter) {
  for (const std::string_view what : {kReserved, kAllocated, kInUse}) {
    if (!counter.ends_with(what)) continue;
    return counter.substr(0, counter.size() - what.size());
  }
  return counter;
}

std::optional<CounterPeak> PeakOf(const profile::Profile& profile,
                                  const profile::Counter& counter) {
  // Larger numbers cannot be bytes.
  constexpr double kMost = 9e18;
  if (counter.unit == profile::kNone ||
      profile.strings().Get(counter.unit) != "bytes") {
    return std::nullopt;
  }
  CounterPeak peak;
  double level = 0, highest = 0;
  for (size_t i = 0; i < counter.size(); ++i) {
    level = LevelAfter(counter, i, level);
    if (level <= highest) continue;
    highest = level;
    peak.sample = i;
  }
  if (highest < 1 || highest > kMost) return std::nullopt;
  peak.bytes = static_cast<int64_t>(highest);
  return peak;
}

std::vector<double> LevelsOf(const profile::Counter& counter) {
  std::vector<double> levels(counter.size());
  double level = 0;
  for (size_t i = 0; i < counter.size(); ++i) {
    levels[i] = level = LevelAfter(counter, i, level);
  }
  return levels;
}

double HighestIn(const profile::Counter& counter,
                 std::span<const double> levels, int64_t start, int64_t end) {
  size_t i = *std::ranges::lower_bound(
      std::views::iota(size_t{0}, counter.size()), start, {},
      [&](size_t sample) { return counter.time[sample]; });
  double highest = i > 0 ? levels[i - 1] : 0;
  for (; i < counter.size() && counter.time[i] < end; ++i) {
    highest = std::max(highest, levels[i]);
  }
  return highest;
}

}  // namespace tfprof::accounting
