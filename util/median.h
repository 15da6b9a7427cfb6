// The median: of an even number of values the mean of the two in the middle. And
// means as integers.

#ifndef TFPROF_UTIL_MEDIAN_H_
#define TFPROF_UTIL_MEDIAN_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "util/arithmetic.h"

namespace tfprof {

// Of microseconds or bytes: the mean is rounded towards the lower. `values` is
// not empty.
inline int64_t Median(std::vector<int64_t> values) {
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  const int64_t lower = *std::max_element(values.begin(), middle);
  return WrapAdd(lower, WrapSub(*middle, lower) / 2);
}

// 0: there are no values.
inline double Median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle =
      values.begin() + static_cast<ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// `value` as an integer; what none holds becomes the nearest.
inline int64_t ToInteger(double value) {
  return static_cast<int64_t>(std::clamp(value, -9e18, 9e18));
}

}  // namespace tfprof

#endif  // TFPROF_UTIL_MEDIAN_H_
