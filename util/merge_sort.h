// MergeSort: a stable sort of many rows that a cancellation ends soon.
//
// It costs about as much as std::stable_sort, and needs memory for a copy of
// the rows. After a cancellation the rows are all there, in no order.

#ifndef TFPROF_UTIL_MERGE_SORT_H_
#define TFPROF_UTIL_MERGE_SORT_H_

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "util/run/task_options.h"

namespace tfprof::util {

// Sorts `rows`, which can be copied, by less(a, b). Returns false if it was
// cancelled.
template <typename Row, typename Less>
bool MergeSort(const TaskOptions& work, std::vector<Row>& rows, Less less) {
  // Rows that are sorted between two checks for cancellation.
  constexpr size_t kPiece = 1 << 14;
  const auto at = [](std::vector<Row>& of, size_t place) {
    return of.begin() + static_cast<ptrdiff_t>(std::min(place, of.size()));
  };
  for (size_t begin = 0; begin < rows.size(); begin += kPiece) {
    if (work.cancelled()) return false;
    std::stable_sort(at(rows, begin), at(rows, begin + kPiece), less);
  }
  std::vector<Row> merged;
  for (size_t length = kPiece; length < rows.size(); length *= 2) {
    if (merged.empty()) merged = rows;
    for (size_t begin = 0; begin < rows.size(); begin += 2 * length) {
      if (work.cancelled()) return false;
      const auto middle = at(rows, begin + length);
      std::merge(at(rows, begin), middle, middle, at(rows, begin + 2 * length),
                 at(merged, begin), less);
    }
    rows.swap(merged);
  }
  return !work.cancelled();
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_MERGE_SORT_H_
