// Nesting: which executions of one thread run inside which.
//
// A trace has the start and the duration of each execution, and no tree.
// Executions are ordered by start (the longer one first if two start together,
// then by the order in the file). An execution is inside the last one before it
// in this order that contains it wholly. An execution that ends after
// everything that is open at its start has no parent, even if it overlaps:
// tracers write such spans for scopes that open in one function and close in
// another. An empty execution that begins where another one ends is not inside
// it. The self time of an execution is its duration minus the durations of its
// direct children, and never negative.
//
// Spans may be in any order; sorted spans take linear time. Ticks may have any
// length. Ends saturate. A span of negative duration counts as empty.

#ifndef TFPROF_LOADERS_NODES_NESTING_H_
#define TFPROF_LOADERS_NODES_NESTING_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "profile/steps/lane_events.h"
#include "profile/tables/string_pool.h"

namespace tfprof::loaders {

struct Span {
  int64_t start = 0;
  int64_t duration = 0;
};

struct Nesting {
  // For each span, the index of the span that contains it, or kNone.
  std::vector<uint32_t> parent;
  // For each span, its self time.
  std::vector<int64_t> self;
  // The indexes of all spans; each parent comes before its children.
  std::vector<uint32_t> order;
};

// At most 2^32 - 2 spans.
Nesting Nest(std::span<const Span> spans);
Nesting Nest(std::span<const profile::LaneEvent> events);

// Returns LaneEvents::inside for these events: (index, time in its direct
// children, at most its own duration), ascending. Takes half the time of
// Nest(), and no memory for spans without children.
using InsideTimes = std::vector<std::pair<uint32_t, int64_t>>;
InsideTimes FindInsideTimes(std::span<const Span> spans);
InsideTimes FindInsideTimes(std::span<const profile::LaneEvent> events);

// Looks up spans around others, many times. Spans may nest deeply, so those
// that were passed once are not visited again.
class Ancestors {
 public:
  // `parent`: Nesting::parent, or the same of other spans.
  explicit Ancestors(std::vector<uint32_t> parent) : up_(std::move(parent)) {}

  // Returns `at`, or the first span around it that `skip` does not skip; kNone:
  // there is none. What is skipped once must be skipped in all later calls, as
  // what has ended before times that ascend.
  template <typename Skip>
  uint32_t First(uint32_t at, Skip skip) {
    uint32_t found = at;
    while (found != profile::kNone && skip(found)) found = up_[found];
    while (at != found) at = std::exchange(up_[at], found);
    return found;
  }

 private:
  std::vector<uint32_t> up_;
};

}  // namespace tfprof::loaders

#endif  // TFPROF_LOADERS_NODES_NESTING_H_
