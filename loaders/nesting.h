// Nesting: which executions of one thread run inside which.
//
// A trace has the start and the duration of each execution, and no tree. In the
// order of starts (the longer first if two start together, then the order of
// the file), an execution is inside the last one that began before it and
// contains it wholly. One that ends after everything that is open at its start
// has no parent, even if it overlaps: tracers write such spans for scopes that
// open in one function and close in another. An empty one that begins where
// another one ends is not inside it. The time that an execution spends in
// itself is its duration less those of its direct children, and never negative.
//
// Spans may be in any order; those that are sorted already take linear time.
// Ticks of any length. Ends saturate. A span of negative duration counts as
// empty.

#ifndef TFPROF_LOADERS_NESTING_H_
#define TFPROF_LOADERS_NESTING_H_

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "profile/lane_events.h"

namespace tfprof {

struct Span {
  int64_t start = 0;
  int64_t duration = 0;
};

struct Nesting {
  // By span: the index of the span that contains it; kNone: none does.
  std::vector<uint32_t> parent;
  // By span: its duration less those of its direct children.
  std::vector<int64_t> self;
  // The indexes of all spans, each parent before its children.
  std::vector<uint32_t> order;
};

// Not more than 2^32 - 2 spans.
Nesting Nest(std::span<const Span> spans);
Nesting Nest(std::span<const LaneEvent> events);

// What LaneEvents::inside has of these events: (index, time that it spent in
// its direct children, but not more than its duration), ascending. In half of
// the time of Nest(), and in no memory for spans without children.
using InsideTimes = std::vector<std::pair<uint32_t, int64_t>>;
InsideTimes FindInsideTimes(std::span<const Span> spans);
InsideTimes FindInsideTimes(std::span<const LaneEvent> events);

}  // namespace tfprof

#endif  // TFPROF_LOADERS_NESTING_H_
