#include "loaders/nesting.h"

#include <algorithm>
#include <numeric>

#include "profile/string_pool.h"
#include "util/arithmetic.h"

namespace tfprof {
namespace {

int64_t Length(const Span& span) { return std::max<int64_t>(0, span.duration); }

}  // namespace

Nesting Nest(std::span<const Span> spans) {
  Nesting nesting;
  nesting.parent.assign(spans.size(), kNone);
  nesting.self.resize(spans.size());
  nesting.order.resize(spans.size());
  std::iota(nesting.order.begin(), nesting.order.end(), 0);
  const auto before = [&](uint32_t a, uint32_t b) {
    if (spans[a].start != spans[b].start) {
      return spans[a].start < spans[b].start;
    }
    if (Length(spans[a]) != Length(spans[b])) {
      return Length(spans[a]) > Length(spans[b]);
    }
    return a < b;
  };
  if (!std::is_sorted(nesting.order.begin(), nesting.order.end(), before)) {
    std::sort(nesting.order.begin(), nesting.order.end(), before);
  }
  // Those that may contain a later span. One that ends before a later one is
  // not needed any more: the later one contains all that it could. So the ends
  // descend from the first to the last.
  struct Open {
    uint32_t span;
    int64_t end;
  };
  std::vector<Open> open;
  for (const uint32_t i : nesting.order) {
    const int64_t start = spans[i].start;
    const int64_t length = Length(spans[i]);
    const int64_t end = SaturatingAdd(start, length);
    nesting.self[i] = length;
    while (!open.empty() &&
           (open.back().end < end || open.back().end <= start)) {
      open.pop_back();
    }
    if (!open.empty()) {
      const uint32_t parent = open.back().span;
      nesting.parent[i] = parent;
      nesting.self[parent] =
          std::max<int64_t>(0, nesting.self[parent] - length);
    }
    open.push_back({i, end});
  }
  return nesting;
}

}  // namespace tfprof
