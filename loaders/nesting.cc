#include "loaders/nesting.h"

#include <algorithm>
#include <numeric>

#include "profile/string_pool.h"
#include "util/arithmetic.h"

namespace tfprof {
namespace {

template <typename Timed>
int64_t Length(const Timed& span) {
  return std::max<int64_t>(0, span.duration);
}

template <typename Timed>
bool Before(std::span<const Timed> spans, uint32_t a, uint32_t b) {
  if (spans[a].start != spans[b].start) return spans[a].start < spans[b].start;
  if (Length(spans[a]) != Length(spans[b])) {
    return Length(spans[a]) > Length(spans[b]);
  }
  return a < b;
}

template <typename Timed>
bool IsSorted(std::span<const Timed> spans) {
  for (uint32_t i = 1; i < spans.size(); ++i) {
    if (Before(spans, i, i - 1)) return false;
  }
  return true;
}

// The indexes of all spans, each parent before its children.
template <typename Timed>
std::vector<uint32_t> Order(std::span<const Timed> spans, bool is_sorted) {
  std::vector<uint32_t> order(spans.size());
  std::iota(order.begin(), order.end(), 0);
  if (!is_sorted) {
    std::sort(order.begin(), order.end(),
              [&](uint32_t a, uint32_t b) { return Before(spans, a, b); });
  }
  return order;
}

// Visits spans in the order at(0), at(1) …, and calls nested(span, parent) for
// each that has one. Returns the times that they spend in themselves.
template <typename Timed, typename At, typename Nested>
std::vector<int64_t> Walk(std::span<const Timed> spans, At at, Nested nested) {
  // Those that may contain a later span. One that ends before a later one is
  // not needed any more: the later one contains all that it could. So the ends
  // descend from the first to the last.
  struct Open {
    uint32_t span;
    int64_t end;
  };
  std::vector<int64_t> self(spans.size());
  std::vector<Open> open;
  for (uint32_t k = 0; k < spans.size(); ++k) {
    const uint32_t i = at(k);
    const int64_t start = spans[i].start;
    const int64_t length = Length(spans[i]);
    const int64_t end = SaturatingAdd(start, length);
    self[i] = length;
    while (!open.empty() &&
           (open.back().end < end || open.back().end <= start)) {
      open.pop_back();
    }
    if (!open.empty()) {
      const uint32_t parent = open.back().span;
      nested(i, parent);
      self[parent] = std::max<int64_t>(0, self[parent] - length);
    }
    open.push_back({i, end});
  }
  return self;
}

template <typename Timed>
Nesting NestAll(std::span<const Timed> spans) {
  Nesting nesting;
  nesting.parent.assign(spans.size(), kNone);
  nesting.order = Order(spans, IsSorted(spans));
  nesting.self = Walk(
      spans, [&](uint32_t k) { return nesting.order[k]; },
      [&](uint32_t i, uint32_t parent) { nesting.parent[i] = parent; });
  return nesting;
}

template <typename Timed>
std::vector<int64_t> SelfTimesOf(std::span<const Timed> spans) {
  const auto ignore = [](uint32_t, uint32_t) {};
  if (IsSorted(spans)) {
    return Walk(
        spans, [](uint32_t k) { return k; }, ignore);
  }
  const std::vector<uint32_t> order = Order(spans, /*is_sorted=*/false);
  return Walk(
      spans, [&](uint32_t k) { return order[k]; }, ignore);
}

}  // namespace

Nesting Nest(std::span<const Span> spans) { return NestAll(spans); }
Nesting Nest(std::span<const LaneEvent> events) { return NestAll(events); }

std::vector<int64_t> SelfTimes(std::span<const Span> spans) {
  return SelfTimesOf(spans);
}
std::vector<int64_t> SelfTimes(std::span<const LaneEvent> events) {
  return SelfTimesOf(events);
}

}  // namespace tfprof
