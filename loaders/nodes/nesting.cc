#include "loaders/nodes/nesting.h"

#include <algorithm>
#include <numeric>

#include "profile/tables/string_pool.h"
#include "util/arithmetic.h"
#include "util/radix_sort.h"

namespace tfprof::loaders {
namespace {

// Fewer spans are sorted sooner by comparisons.
constexpr size_t kManySpans = 4096;

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
  if (is_sorted) return order;
  const auto before = [&](uint32_t a, uint32_t b) {
    return Before(spans, a, b);
  };
  if (spans.size() < kManySpans) {
    std::sort(order.begin(), order.end(), before);
    return order;
  }
  // Few spans begin together, so nearly all of the work is a sort by number.
  struct Row {
    uint64_t since_first;
    uint32_t span;
  };
  int64_t first = spans[0].start;
  for (const Timed& span : spans) first = std::min(first, span.start);
  std::vector<Row> rows(spans.size());
  for (uint32_t i = 0; i < spans.size(); ++i) {
    rows[i] = {
        static_cast<uint64_t>(spans[i].start) - static_cast<uint64_t>(first),
        i};
  }
  util::RadixSort(rows, [](const Row& row) { return row.since_first; });
  for (size_t begin = 0; begin < rows.size();) {
    size_t end = begin;
    for (;
         end < rows.size() && rows[end].since_first == rows[begin].since_first;
         ++end) {
      order[end] = rows[end].span;
    }
    if (end - begin > 1) {
      std::sort(order.begin() + static_cast<ptrdiff_t>(begin),
                order.begin() + static_cast<ptrdiff_t>(end), before);
    }
    begin = end;
  }
  return order;
}

// Visits spans in the order at(0), at(1) …, and calls nested(span, its parent)
// for each one that has a parent. `Parent` is the caller's record of a span
// that may be a parent; new_parent(span) makes it.
template <typename Timed, typename At, typename NewParent, typename Nested>
void Walk(std::span<const Timed> spans, At at, NewParent new_parent,
          Nested nested) {
  // The spans that may contain a later span. A span is dropped when a later one
  // ends after it, because the later one contains everything that the dropped
  // one could. So the ends descend from the first to the last.
  struct Open {
    decltype(new_parent(uint32_t{})) parent;
    int64_t end;
  };
  std::vector<Open> open;
  for (uint32_t k = 0; k < spans.size(); ++k) {
    const uint32_t i = at(k);
    const int64_t start = spans[i].start;
    const int64_t end = util::SaturatingAdd(start, Length(spans[i]));
    while (!open.empty() &&
           (open.back().end < end || open.back().end <= start)) {
      open.pop_back();
    }
    if (!open.empty()) nested(i, open.back().parent);
    open.push_back({new_parent(i), end});
  }
}

template <typename Timed>
Nesting NestAll(std::span<const Timed> spans) {
  Nesting nesting;
  nesting.parent.assign(spans.size(), profile::kNone);
  nesting.order = Order(spans, IsSorted(spans));
  nesting.self.resize(spans.size());
  Walk(
      spans, [&](uint32_t k) { return nesting.order[k]; },
      [&](uint32_t i) {
        nesting.self[i] = Length(spans[i]);
        return i;
      },
      [&](uint32_t i, uint32_t parent) {
        nesting.parent[i] = parent;
        int64_t& self = nesting.self[parent];
        self = std::max<int64_t>(0, self - Length(spans[i]));
      });
  return nesting;
}

template <typename Timed>
InsideTimes FindInside(std::span<const Timed> spans) {
  struct Parent {
    uint32_t span;
    uint32_t entry;  // in `inside`; kNone: none yet
  };
  InsideTimes inside;
  const auto new_parent = [](uint32_t i) { return Parent{i, profile::kNone}; };
  const auto nested = [&](uint32_t i, Parent& parent) {
    if (parent.entry == profile::kNone) {
      parent.entry = static_cast<uint32_t>(inside.size());
      inside.push_back({parent.span, 0});
    }
    int64_t& time = inside[parent.entry].second;
    time = std::min(util::SaturatingAdd(time, Length(spans[i])),
                    Length(spans[parent.span]));
  };
  if (IsSorted(spans)) {
    Walk(
        spans, [](uint32_t k) { return k; }, new_parent, nested);
  } else {
    const std::vector<uint32_t> order = Order(spans, /*is_sorted=*/false);
    Walk(
        spans, [&](uint32_t k) { return order[k]; }, new_parent, nested);
  }
  if (!std::is_sorted(inside.begin(), inside.end())) {
    std::sort(inside.begin(), inside.end());
  }
  return inside;
}

}  // namespace

Nesting Nest(std::span<const Span> spans) { return NestAll(spans); }
Nesting Nest(std::span<const profile::LaneEvent> events) {
  return NestAll(events);
}

InsideTimes FindInsideTimes(std::span<const Span> spans) {
  return FindInside(spans);
}
InsideTimes FindInsideTimes(std::span<const profile::LaneEvent> events) {
  return FindInside(events);
}

}  // namespace tfprof::loaders
