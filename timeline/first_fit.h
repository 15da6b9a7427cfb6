// FirstFit: puts each interval on the first free row.
//
//   FirstFit rows;
//   rows.Place(10, 20);   // 0
//   rows.Place(15, 30);   // 1
//   rows.Place(25, 26);   // 0
//
// A row is free for an interval if the last interval on it ended before the
// start of the new one; with kTouching, at or before the start. The first row
// always exists and is free from `origin` on. Placing takes logarithmic time in
// the number of rows.

#ifndef TFPROF_TIMELINE_FIRST_FIT_H_
#define TFPROF_TIMELINE_FIRST_FIT_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tfprof::timeline {

class FirstFit {
 public:
  enum class Fit { kApart, kTouching };

  explicit FirstFit(Fit fit, int64_t origin)
      : touching_(fit == Fit::kTouching), ends_({kNever, origin}) {}

  // Returns the row of an interval. `end` must be below the largest int64_t.
  uint32_t Place(int64_t start, int64_t end);

  uint32_t rows() const { return rows_; }

 private:
  static constexpr int64_t kNever = INT64_MAX;

  bool IsFree(int64_t end, int64_t start) const {
    return touching_ ? end <= start : end < start;
  }
  void Set(uint32_t row, int64_t end);
  void Grow();

  const bool touching_;
  size_t leaves_ = 1;  // a power of two
  uint32_t rows_ = 1;
  // A tree of minima: [1] is the root, and [leaves_ + row] is the end of a row,
  // or kNever if the row does not exist.
  std::vector<int64_t> ends_;
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_FIRST_FIT_H_
