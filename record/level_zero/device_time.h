// The time of a device of Level Zero: its ticks, which wrap, as nanoseconds
// that do not.

#ifndef TFPROF_RECORD_LEVEL_ZERO_DEVICE_TIME_H_
#define TFPROF_RECORD_LEVEL_ZERO_DEVICE_TIME_H_

#include <cstdint>

namespace tfprof::record::level_zero {

class DeviceTime {
 public:
  // `bits`: of the ticks that the device tells of itself and of kernels.
  void Set(uint64_t hertz, uint32_t bits, uint32_t kernel_bits) {
    hertz_ = hertz;
    mask_ = MaskOf(bits);
    kernel_mask_ = MaskOf(kernel_bits);
  }
  bool is_known() const { return hertz_ != 0; }

  // The device tells its ticks of now. They must be read more often than they
  // wrap.
  void Read(uint64_t ticks) {
    // Modulo 2^64: less than before means that they have wrapped.
    now_ += (ticks - now_) & mask_;
  }
  uint64_t now() const { return ToNanos(now_); }
  // Nanoseconds of a tick, upwards: the true time is at most that much later
  // than what is told.
  uint64_t resolution() const { return ToNanos(1) + 1; }
  // Ticks of a kernel that has ended, not longer ago than they take to wrap.
  uint64_t OfKernel(uint64_t ticks) const {
    return ToNanos(now_ - ((now_ - ticks) & kernel_mask_));
  }

 private:
  static uint64_t MaskOf(uint32_t bits) {
    return bits == 0 || bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  }
  // Seconds first: the product of ticks and 10^9 may be too large.
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
