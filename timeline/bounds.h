// Bounds on the offsets between clocks, as a system of difference constraints.
//
//   OffsetBounds bounds(3);
//   bounds.AddOrder(0, 100, 1, 90);   // 100 on clock 0 is not after 90 on 1
//   bounds.Close();
//   bounds.Between(0, 1);             // {10, nullopt}: at least 10
//
// The offset of clock b relative to clock a converts times of b to times of a
// when it is added to them. Times must be between -2^61 and 2^61, where
// nanoseconds since 1970 have room until 2043; see BoundedTime(). Memory: one
// number for each pair of clocks.

#ifndef TFPROF_TIMELINE_BOUNDS_H_
#define TFPROF_TIMELINE_BOUNDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace tfprof::timeline {

inline int64_t BoundedTime(int64_t time) {
  constexpr int64_t kLimit = (int64_t{1} << 61) - 1;
  return std::clamp(time, -kLimit, kLimit);
}

class OffsetBounds {
 public:
  explicit OffsetBounds(size_t clocks);

  // Adds the constraint that the time `earlier` on clock `from` is not after
  // the time `later` on clock `to`.
  void AddOrder(uint32_t from, int64_t earlier, uint32_t to, int64_t later);

  // Combines bounds over several clocks (transitive closure). Returns the
  // clocks whose bounds contradict each other; their bounds are dropped.
  std::vector<uint32_t> Close();

  // Returns the smallest and the largest possible offset of clock `b` relative
  // to `a`; nullopt if there is no such bound. Call it only after Close().
  std::pair<std::optional<int64_t>, std::optional<int64_t>> Between(
      uint32_t a, uint32_t b) const;

 private:
  static constexpr int64_t kUnbounded = INT64_MAX;

  int64_t& At(size_t a, size_t b) { return most_[a * clocks_ + b]; }
  int64_t At(size_t a, size_t b) const { return most_[a * clocks_ + b]; }
  static void Follow(std::vector<int64_t>& most, size_t clocks);

  size_t clocks_;
  // [a][b]: the largest possible value of (offset of b) - (offset of a).
  std::vector<int64_t> most_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_BOUNDS_H_
