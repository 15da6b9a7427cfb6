// 64-bit arithmetic on numbers from files. Sums of hostile or merely odd
// values (negative residual bytes, 2^63 parameters) wrap as the reference's do
// on every machine it runs on, instead of being undefined.

#ifndef TFPROF_PROFILE_ARITHMETIC_H_
#define TFPROF_PROFILE_ARITHMETIC_H_

#include <cstdint>

namespace tfprof {

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

}  // namespace tfprof

#endif  // TFPROF_PROFILE_ARITHMETIC_H_
