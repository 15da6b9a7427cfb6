// The median; for an even number of values, the mean of the two in the middle.
// Also converts means to integers.

#ifndef TFPROF_UTIL_MEDIAN_H_
#define TFPROF_UTIL_MEDIAN_H_

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "util/arithmetic.h"

namespace tfprof::util {

// The median of microseconds or bytes; a mean is rounded down. `values` must
// not be empty.
inline int64_t Median(std::vector<int64_t> values) {
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const int64_t lower = *std::max_element(values.begin(), middle);
  // The difference may need all 64 bits.
  const auto difference = static_cast<uint64_t>(WrapSub(*middle, lower));
  return WrapAdd(lower, static_cast<int64_t>(difference / 2));
}

// Returns 0 if there are no values.
inline double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// `value` as an integer, limited to ±9e18 so that it fits; 0 for NaN.
inline int64_t ToInteger(double value) {
  if (std::isnan(value)) return 0;
  return static_cast<int64_t>(std::clamp(value, -9e18, 9e18));
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_MEDIAN_H_
