// DeviceTime: the clock of a Level Zero device. It converts ticks, which wrap
// around, to nanoseconds, which do not.

#ifndef TFPROF_RECORD_LEVEL_ZERO_DEVICE_TIME_H_
#define TFPROF_RECORD_LEVEL_ZERO_DEVICE_TIME_H_

#include <cstdint>

namespace tfprof::record::level_zero {

class DeviceTime {
 public:
  // `bits` and `kernel_bits`: valid bits of the device's own ticks and of
  // kernel time stamps.
  void Set(uint64_t hertz, uint32_t bits, uint32_t kernel_bits) {
    hertz_ = hertz;
    mask_ = MaskOf(bits);
    kernel_mask_ = MaskOf(kernel_bits);
  }
  bool is_known() const { return hertz_ != 0; }

  // Takes the device's current ticks. It must be called more often than they
  // wrap around.
  void Read(uint64_t ticks) {
    // The difference is modulo 2^64, so a wrap-around needs no special case.
    now_ += (ticks - now_) & mask_;
  }
  uint64_t now() const { return ToNanos(now_); }
  // Nanoseconds of a tick, rounded up: the true time is at most this much later
  // than the result.
  uint64_t resolution() const { return ToNanos(1) + 1; }
  // Converts the ticks of a kernel that ended less than one wrap-around ago.
  uint64_t OfKernel(uint64_t ticks) const {
    return ToNanos(now_ - ((now_ - ticks) & kernel_mask_));
  }

 private:
  static uint64_t MaskOf(uint32_t bits) {
    return bits == 0 || bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  }
  // Whole seconds are converted separately, because ticks * 10^9 may overflow.
  uint64_t ToNanos(uint64_t ticks) const {
    constexpr uint64_t kNanos = 1'000'000'000;
    return ticks / hertz_ * kNanos + ticks % hertz_ * kNanos / hertz_;
  }

  uint64_t hertz_ = 0;
  uint64_t mask_ = 0, kernel_mask_ = 0;
  uint64_t now_ = 0;
};

}  // namespace tfprof::record::level_zero

#endif  // TFPROF_RECORD_LEVEL_ZERO_DEVICE_TIME_H_
