#include "timeline/intervals.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "timeline/first_near.h"
#include "util/arithmetic.h"
#include "util/radix_sort.h"

namespace tfprof::timeline {
namespace {

void SortByStart(Intervals& intervals,
                 const util::Cancellation* cancellation = nullptr) {
  const auto before = [](const Interval& a, const Interval& b) {
    return a.start < b.start;
  };
  // The calls of a few operations or threads, each in order, are merged: that
  // reads them one after the other, which sorting does not.
  constexpr size_t kFew = 9;
  const auto at = [&](size_t i) {
    return intervals.begin() + static_cast<ptrdiff_t>(i);
  };
  std::vector<size_t> begins = {0};
  for (size_t i = 1; i < intervals.size() && begins.size() < kFew; ++i) {
    if (before(intervals[i], intervals[i - 1])) begins.push_back(i);
  }
  if (begins.size() < kFew) {
    for (size_t i = 1; i < begins.size(); ++i) {
      const size_t end =
          i + 1 < begins.size() ? begins[i + 1] : intervals.size();
      std::inplace_merge(at(0), at(begins[i]), at(end), before);
    }
    return;
  }
  constexpr size_t kMany = 1 << 12;  // a sort in linear time pays from here on
  if (intervals.size() < kMany) {
    std::sort(intervals.begin(), intervals.end(), before);
    return;
  }
  const int64_t first =
      std::min_element(intervals.begin(), intervals.end(), before)->start;
  util::RadixSort(
      intervals,
      [first](const Interval& of) {
        return static_cast<uint64_t>(util::WrapSub(of.start, first));
      },
      cancellation);
}

// The first interval that ends after `time`. Steps and gaps are short, and
// recordings long: a pass from the beginning would be quadratic.
Intervals::const_iterator FirstAfter(const Intervals& intervals, int64_t time) {
  return std::partition_point(
      intervals.begin(), intervals.end(),
      [time](const Interval& of) { return of.end <= time; });
}

// Appends the union of two sorted sets. Intervals that were in `both` stay as
// they are.
void AppendUnion(std::span<const Interval> a, std::span<const Interval> b,
                 Intervals& both) {
  const size_t first = both.size();
  for (auto x = a.begin(), y = b.begin(); x != a.end() || y != b.end();) {
    const bool take_a = y == b.end() || (x != a.end() && x->start <= y->start);
    const Interval& next = take_a ? *x++ : *y++;
    if (both.size() > first && next.start <= both.back().end) {
      both.back().end = std::max(both.back().end, next.end);
    } else {
      both.push_back(next);
    }
  }
}

}  // namespace

void AddInterval(Intervals& intervals, int64_t start, int64_t end) {
  if (!intervals.empty() && start <= intervals.back().end) {
    intervals.back().end = std::max(intervals.back().end, end);
  } else {
    intervals.push_back({start, end});
  }
}

int64_t Length(const Intervals& intervals) {
  int64_t length = 0;
  for (const Interval& i : intervals) length += i.length();
  return length;
}

Intervals Union(const Intervals& a, const Intervals& b) {
  Intervals both;
  both.reserve(a.size() + b.size());
  AppendUnion(a, b, both);
  return both;
}

void UnionOfMany::Add(const Intervals& set) {
  if (set.empty()) return;
  if (!all_.empty() && set.front().start < all_.back().start) {
    breaks_.push_back(all_.size());
  }
  all_.insert(all_.end(), set.begin(), set.end());
}

Intervals UnionOfMany::Take(const util::Cancellation* cancellation) && {
  // Merging a few sorted sets reads them in order, which sorting does not.
  constexpr size_t kFew = 64;
  if (breaks_.size() > kFew) {
    SortByStart(all_, cancellation);
    breaks_.clear();
  }
  while (!breaks_.empty() && !util::IsCancelled(cancellation)) MergeRuns();
  Intervals both;
  if (util::IsCancelled(cancellation)) return both;
  for (const Interval& i : all_) AddInterval(both, i.start, i.end);
  return both;
}

// Replaces each two sorted sets beside each other by their union.
void UnionOfMany::MergeRuns() {
  Intervals merged;
  merged.reserve(all_.size());
  std::vector<size_t> breaks;
  breaks_.push_back(all_.size());
  size_t begin = 0;
  for (size_t i = 0; i < breaks_.size(); i += 2) {
    const size_t middle = breaks_[i];
    const size_t end = i + 1 < breaks_.size() ? breaks_[i + 1] : middle;
    const std::span<const Interval> all = all_;
    if (begin > 0) breaks.push_back(merged.size());
    AppendUnion(all.subspan(begin, middle - begin),
                all.subspan(middle, end - middle), merged);
    begin = end;
  }
  all_ = std::move(merged);
  breaks_ = std::move(breaks);
}

Intervals Intersect(const Intervals& a, const Intervals& b) {
  Intervals both;
  if (a.empty() || b.empty()) return both;
  for (auto x = FirstAfter(a, b.front().start),
            y = FirstAfter(b, a.front().start);
       x != a.end() && y != b.end();) {
    const int64_t start = std::max(x->start, y->start);
    const int64_t end = std::min(x->end, y->end);
    if (start < end) both.push_back({start, end});
    if (x->end < y->end) {
      ++x;
    } else {
      ++y;
    }
  }
  return both;
}

Intervals Subtract(const Intervals& a, const Intervals& b) {
  Intervals rest;
  if (a.empty()) return rest;
  auto y = FirstAfter(b, a.front().start);
  for (const Interval& x : a) {
    int64_t start = x.start;
    while (y != b.end() && y->end <= start) ++y;
    // Stay at an interval of `b` that may overlap several intervals of `a`.
    for (auto cut = y; cut != b.end() && cut->start < x.end; ++cut) {
      if (cut->start > start) rest.push_back({start, cut->start});
      start = std::max(start, cut->end);
      y = cut;
    }
    if (start < x.end) rest.push_back({start, x.end});
  }
  return rest;
}

void IntervalCollector::Add(int64_t start, int64_t end) {
  if (end <= start) return;
  if (new_.empty()) {
    if (union_.empty() || union_.back().start <= start) {
      return AddInterval(union_, start, end);
    }
  } else {
    const Interval& last = new_.back();
    // Executions inside the last interval add nothing.
    if (start >= last.start && end <= last.end) return;
    in_order_ &= last.start <= start;
  }
  new_.push_back({start, end});
  if (new_.size() >= limit_) Compact();
}

void IntervalCollector::Add(const Intervals& set) {
  for (const Interval& of : set) Add(of.start, of.end);
}

Intervals IntervalCollector::Take() && {
  Compact();
  return std::move(union_);
}

void IntervalCollector::Compact() {
  if (new_.empty()) return;
  if (!in_order_) SortByStart(new_);
  // Only what ends after the first new interval starts can touch a new one.
  const auto rest = std::partition_point(
      union_.begin(), union_.end(),
      [this](const Interval& of) { return of.end < new_.front().start; });
  const Intervals old(rest, union_.end());
  union_.erase(rest, union_.end());
  for (auto x = old.begin(), y = new_.cbegin();
       x != old.end() || y != new_.end();) {
    const bool is_old =
        y == new_.end() || (x != old.end() && x->start <= y->start);
    const Interval& next = is_old ? *x++ : *y++;
    AddInterval(union_, next.start, next.end);
  }
  // If much is merged again and again, merge less often.
  limit_ = std::max(kGroup, old.size());
  new_.clear();
  in_order_ = true;
}

Overlap::Overlap(const Intervals& intervals) : intervals_(intervals) {
  before_.reserve(intervals.size());
  int64_t before = 0;
  for (const Interval& i : intervals) {
    before_.push_back(before);
    before += i.length();
  }
}

int64_t Overlap::Before(int64_t at) {
  near_ = FirstNear(intervals_, near_,
                    [at](const Interval& of) { return of.start <= at; });
  if (near_ == 0) return 0;
  const Interval& last = intervals_[near_ - 1];
  return before_[near_ - 1] + std::min(at, last.end) - last.start;
}

}  // namespace tfprof::timeline
