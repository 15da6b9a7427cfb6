// TimeColumn: an immutable column of times or durations.
//
// Values are ticks of `nanos_per_tick` nanoseconds, which is the unit of the
// file. A file that counts microseconds needs 4 bytes for a step's times;
// nanoseconds would need 8 after 4.3 seconds.
//
// With microsecond ticks, Micros() returns exactly the numbers of the file.
// Nanos() saturates.

#ifndef TFPROF_PROFILE_TIME_COLUMN_H_
#define TFPROF_PROFILE_TIME_COLUMN_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "profile/int_column.h"
#include "util/arithmetic.h"

namespace tfprof {

inline constexpr int64_t kNanosPerMicro = 1000;

// Whole microseconds, rounded down.
inline int64_t TicksToMicros(int64_t ticks, int64_t nanos_per_tick) {
  if (nanos_per_tick == kNanosPerMicro) return ticks;
  const int64_t nanos = SaturatingMul(ticks, nanos_per_tick);
  return nanos / kNanosPerMicro - (nanos % kNanosPerMicro < 0);
}

class TimeColumn {
 public:
  TimeColumn() = default;
  // `nanos_per_tick` is positive.
  TimeColumn(IntColumn ticks, int64_t nanos_per_tick)
      : ticks_(std::move(ticks)), nanos_per_tick_(nanos_per_tick) {}

  int64_t Ticks(size_t i) const { return ticks_[i]; }
  int64_t Nanos(size_t i) const {
    return SaturatingMul(ticks_[i], nanos_per_tick_);
  }
  int64_t Micros(size_t i) const {
    return TicksToMicros(ticks_[i], nanos_per_tick_);
  }

  int64_t nanos_per_tick() const { return nanos_per_tick_; }
  size_t size() const { return ticks_.size(); }
  size_t bytes() const { return ticks_.bytes(); }

 private:
  IntColumn ticks_;
  int64_t nanos_per_tick_ = kNanosPerMicro;
};

}  // namespace tfprof

#endif  // TFPROF_PROFILE_TIME_COLUMN_H_
