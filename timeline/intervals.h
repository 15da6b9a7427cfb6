// Sets of moments as sorted, disjoint intervals: when something ran, and when
// nothing did.
//
//   Intervals busy;
//   AddInterval(busy, 10, 20);   // starts must not decrease
//   AddInterval(busy, 15, 30);   // {10, 30}
//   Length(Subtract({{0, 40}}, busy));   // 20
//
// Times have any unit; those of activity.h are ticks of the profile. An
// interval holds its start and not its end, none is empty and none touches the
// next. Functions take time linear in their input. Starts are not negative and
// ends above them, so no length overflows, and the sum of one set is at most
// the span of it.

#ifndef TFPROF_TIMELINE_INTERVALS_H_
#define TFPROF_TIMELINE_INTERVALS_H_

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tfprof {

struct Interval {
  int64_t start = 0;
  int64_t end = 0;

  int64_t length() const { return end - start; }
  friend bool operator==(const Interval&, const Interval&) = default;
};

using Intervals = std::vector<Interval>;

// `start` is at least that of the last interval, `end` above it.
void AddInterval(Intervals& intervals, int64_t start, int64_t end);

int64_t Length(const Intervals& intervals);

Intervals Union(const Intervals& a, const Intervals& b);
Intervals Intersect(const Intervals& a, const Intervals& b);
// What is in `a` and not in `b`.
Intervals Subtract(const Intervals& a, const Intervals& b);

// The union of many sets, such as those of all devices: n log n in the number
// of intervals, for any number of sets.
class UnionOfMany {
 public:
  void Add(const Intervals& set);
  Intervals Take() &&;

 private:
  Intervals all_;  // of the sets, as they came
  bool in_order_ = true;
};

// Collects intervals in any order, and keeps little more than their union.
class IntervalCollector {
 public:
  // Empty ones add nothing.
  void Add(int64_t start, int64_t end);
  Intervals Take() &&;

 private:
  static constexpr size_t kFirstLimit = 1 << 16;

  void Compact();

  Intervals all_;
  bool in_order_ = true;
  size_t limit_ = kFirstLimit;
};

// How much of [start, end) is in a set, for many queries of one set. A query
// takes logarithmic time.
class Overlap {
 public:
  explicit Overlap(const Intervals& intervals);
  int64_t Length(int64_t start, int64_t end) const {
    return Before(end) - Before(start);
  }

 private:
  // How much of the set is before `at`.
  int64_t Before(int64_t at) const;

  const Intervals& intervals_;
  std::vector<int64_t> before_;  // by interval
};

}  // namespace tfprof

#endif  // TFPROF_TIMELINE_INTERVALS_H_
