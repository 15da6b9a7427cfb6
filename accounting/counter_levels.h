// The levels of memory that counters recorded: bytes in use, or reserved, over
// time.
//
// A counter's samples are levels or changes of the level; both become levels
// here, in bytes. Times are nanoseconds, as in profile::Counter. Samples are in
// the order of their times.

#ifndef TFPROF_ACCOUNTING_COUNTER_LEVELS_H_
#define TFPROF_ACCOUNTING_COUNTER_LEVELS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "profile/profile.h"

namespace tfprof::accounting {

// An allocator can have two counters: "gpu:0 allocated" is in use, and
// "gpu:0 reserved" is what it has from the device, used or not.
bool IsReserved(std::string_view counter);
// The name without what it counts: "gpu:0".
std::string_view AllocatorOf(std::string_view counter);

// The highest level of a counter in bytes, and the first sample that reached
// it. nullopt: the counter is not in bytes, or never above 0.
struct CounterPeak {
  int64_t bytes = 0;
  size_t sample = 0;
};
std::optional<CounterPeak> PeakOf(const profile::Profile& profile,
                                  const profile::Counter& counter);

// The level after a sample, if it was `level` before.
inline double LevelAfter(const profile::Counter& counter, size_t sample,
                         double level) {
  return counter.kind == profile::Counter::Kind::kChange
             ? level + counter.value[sample]
             : counter.value[sample];
}

// The level after each sample.
std::vector<double> LevelsOf(const profile::Counter& counter);

// The highest of `levels` (LevelsOf(counter)) in a time, also if it was reached
// before and lasts. 0 before the first sample.
double HighestIn(const profile::Counter& counter,
                 std::span<const double> levels, int64_t start, int64_t end);

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_COUNTER_LEVELS_H_
