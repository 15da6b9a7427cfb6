// 64-bit arithmetic on numbers from files. Sums of hostile or odd values
// (negative residual bytes, 2^63 parameters) wrap around as in the reference;
// they are never undefined behaviour. Numbers that the program computes itself,
// such as float operations from shapes, saturate.

#ifndef TFPROF_UTIL_ARITHMETIC_H_
#define TFPROF_UTIL_ARITHMETIC_H_

#include <cstdint>
#include <limits>

namespace tfprof::util {

inline int64_t WrapAdd(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) +
                              static_cast<uint64_t>(b));
}

inline int64_t WrapSub(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) -
                              static_cast<uint64_t>(b));
}

inline int64_t WrapMul(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) *
                              static_cast<uint64_t>(b));
}

inline int64_t SaturatingAdd(int64_t a, int64_t b) {
  int64_t sum;
  if (!__builtin_add_overflow(a, b, &sum)) return sum;
  return b < 0 ? std::numeric_limits<int64_t>::min()
               : std::numeric_limits<int64_t>::max();
}

inline int64_t SaturatingMul(int64_t a, int64_t b) {
  int64_t product;
  if (!__builtin_mul_overflow(a, b, &product)) return product;
  return (a < 0) != (b < 0) ? std::numeric_limits<int64_t>::min()
                            : std::numeric_limits<int64_t>::max();
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_ARITHMETIC_H_
