// TimeColumn: an immutable column of times or durations.
//
// A value is a number of ticks. A tick is 1/ticks_per_micro microseconds and is
// the unit of the file: ticks_per_micro is 1 for microseconds (TensorFlow 1),
// 1000 for nanoseconds (PyTorch), 1,000,000 for picoseconds (XPlane). With a
// file in microseconds, a step's times need 4 bytes each; in nanoseconds they
// would need 8 after 4.3 seconds.
//
// With microsecond ticks, Micros() returns exactly the numbers of the file.
// Micros() and Nanos() round down; Nanos() saturates.

#ifndef TFPROF_PROFILE_STEPS_TIME_COLUMN_H_
#define TFPROF_PROFILE_STEPS_TIME_COLUMN_H_

#include <cstddef>
#include <cstdint>
#include <utility>

#include "profile/steps/int_column.h"
#include "util/arithmetic.h"

namespace tfprof::profile {

inline constexpr int64_t kNanosPerMicro = 1000;
inline constexpr int64_t kPicosPerMicro = 1'000'000;

// Returns `a / b`, rounded down. `b` must be positive.
inline int64_t FloorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// Converts to whole microseconds, rounded down.
inline int64_t TicksToMicros(int64_t ticks, int64_t ticks_per_micro) {
  return ticks_per_micro == 1 ? ticks : FloorDiv(ticks, ticks_per_micro);
}

// Converts to whole nanoseconds, rounded down; saturates.
inline int64_t TicksToNanos(int64_t ticks, int64_t ticks_per_micro) {
  if (ticks_per_micro == kNanosPerMicro) return ticks;
  if (ticks_per_micro > kNanosPerMicro) {
    return FloorDiv(ticks, ticks_per_micro / kNanosPerMicro);
  }
  return util::SaturatingMul(ticks, kNanosPerMicro / ticks_per_micro);
}

class TimeColumn {
 public:
  TimeColumn() = default;
  // `ticks_per_micro` must divide kNanosPerMicro, or be a multiple of it that
  // divides kPicosPerMicro.
  TimeColumn(IntColumn ticks, int64_t ticks_per_micro)
      : ticks_(std::move(ticks)), ticks_per_micro_(ticks_per_micro) {}

  int64_t Ticks(size_t i) const { return ticks_[i]; }
  int64_t Nanos(size_t i) const {
    return TicksToNanos(ticks_[i], ticks_per_micro_);
  }
  int64_t Micros(size_t i) const {
    return TicksToMicros(ticks_[i], ticks_per_micro_);
  }

  int64_t ticks_per_micro() const { return ticks_per_micro_; }
  size_t size() const { return ticks_.size(); }
  size_t bytes() const { return ticks_.bytes(); }

 private:
  IntColumn ticks_;
  int64_t ticks_per_micro_ = 1;
};

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_STEPS_TIME_COLUMN_H_
