// FirstNear: a search in sorted rows that begins at the row that was found
// last. For questions that mostly come in order, it is faster than a search of
// all rows, which waits for memory several times.

#ifndef TFPROF_TIMELINE_FIRST_NEAR_H_
#define TFPROF_TIMELINE_FIRST_NEAR_H_

#include <algorithm>
#include <cstddef>

namespace tfprof::timeline {

// Returns the index of the first row for which before(row) is false, or the
// number of rows. The rows for which it is true must come first. `near` is any
// index up to the number of rows; the time grows with the logarithm of the
// distance to it if the result is behind it.
template <typename Rows, typename Before>
size_t FirstNear(const Rows& rows, size_t near, Before before) {
  size_t begin = 0, end = near;  // the result is in [begin, end]
  if (near == 0 || before(rows[near - 1])) {
    begin = near;
    for (size_t more = 1; end < rows.size() && before(rows[end]); more *= 2) {
      begin = end + 1;
      end = std::min(rows.size(), end + more);
    }
  }
  const auto at = [&](size_t i) {
    return rows.begin() + static_cast<ptrdiff_t>(i);
  };
  return static_cast<size_t>(std::partition_point(at(begin), at(end), before) -
                             rows.begin());
}

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_FIRST_NEAR_H_
