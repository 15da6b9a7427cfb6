// OpenAt: which of many intervals is open at a time.

#ifndef TFPROF_LOADERS_NODES_OPEN_AT_H_
#define TFPROF_LOADERS_NODES_OPEN_AT_H_

#include <algorithm>
#include <vector>

namespace tfprof::loaders {

// The most intervals that a lookup searches. One that began before so many
// others is not found.
inline constexpr int kMostOpen = 64;

// Returns the last interval that began at or before `time` and ends at it or
// later; nullptr: none. `rows` are ascending by the member `begin`.
template <typename Row, typename Time>
const Row* OpenAt(const std::vector<Row>& rows, Time time, Time Row::*begin,
                  Time Row::*end) {
  auto next = std::ranges::upper_bound(rows, time, {}, begin);
  for (int i = 0; i < kMostOpen && next != rows.begin(); ++i) {
    --next;
    if (time <= (*next).*end) return &*next;
  }
  return nullptr;
}

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_NODES_OPEN_AT_H_
