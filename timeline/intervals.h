// Sets of time as sorted, disjoint intervals: when something ran, or when
// nothing ran.
//
//   Intervals busy;
//   AddInterval(busy, 10, 20);   // starts must not decrease
//   AddInterval(busy, 15, 30);   // {10, 30}
//   Length(Subtract({{0, 40}}, busy));   // 20
//
// Times have any unit; activity.h uses ticks of the profile. An interval
// includes its start, but not its end; it is not empty and does not touch the
// next one. Functions take time linear in their input. Starts are not negative
// and ends are larger, so lengths do not overflow, and the total length of a
// set is at most its span.

#ifndef TFPROF_TIMELINE_INTERVALS_H_
#define TFPROF_TIMELINE_INTERVALS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "util/run/cancellation.h"

namespace tfprof::timeline {

struct Interval {
  int64_t start = 0;
  int64_t end = 0;

  int64_t length() const { return end - start; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

using Intervals = std::vector<Interval>;

// `start` must be at least the start of the last interval, and `end` larger.
void AddInterval(Intervals& intervals, int64_t start, int64_t end);

int64_t Length(const Intervals& intervals);

Intervals Union(const Intervals& a, const Intervals& b);
Intervals Intersect(const Intervals& a, const Intervals& b);
// Returns the time in `a` that is not in `b`.
Intervals Subtract(const Intervals& a, const Intervals& b);

// The union of many sets, such as those of all devices, in O(n log n) time for
// n intervals.
class UnionOfMany {
 public:
  void Add(const Intervals& set);
  // Partial after a cancellation.
  Intervals Take(const util::Cancellation* cancellation = nullptr) &&;

 private:
  void MergeRuns();

  Intervals all_;  // the intervals of all sets
  // Where intervals start before the one before them: between two of these
  // places they are sorted.
  std::vector<size_t> breaks_;
};

// Collects intervals in any order; its memory is little more than their union.
// It is fastest if intervals come in order, and fast if one starts at about the
// time of those before it, as in the steps of a recording.
class IntervalCollector {
 public:
  // Ignores empty intervals.
  void Add(int64_t start, int64_t end);
  void Add(const Intervals& set);
  Intervals Take() &&;

 private:
  // Intervals are sorted in groups of this size, which fit into a cache.
  static constexpr size_t kGroup = 1 << 15;

  void Compact();

  Intervals union_;  // of all intervals but the new ones
  Intervals new_;
  bool in_order_ = true;   // the new ones start one after the other
  size_t limit_ = kGroup;  // of the new ones
};

// Returns how much of [start, end) is in a set, for many queries of one set. A
// query takes logarithmic time, and less if it is near the one before it.
class Overlap {
 public:
  explicit Overlap(const Intervals& intervals);
  int64_t Length(int64_t start, int64_t end) {
    const int64_t before = Before(start);
    return Before(end) - before;
  }
  int64_t Length(const Intervals& of) {
    int64_t length = 0;
    for (const Interval& interval : of) {
      length += Length(interval.start, interval.end);
    }
    return length;
  }

 private:
  // Returns how much of the set is before `at`.
  int64_t Before(int64_t at);

  const Intervals& intervals_;
  std::vector<int64_t> before_;  // indexed by interval
  size_t near_ = 0;              // the interval that was found last
};

}  // namespace tfprof::timeline

#endif  // TFPROF_TIMELINE_INTERVALS_H_
