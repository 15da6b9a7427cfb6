// AllocatorLevels: how much memory an allocator had given out and reserved over
// time, from its history (profile/tables/allocators.h).
//
// Given-out memory is the sum of requested bytes. A history is the end of a
// longer one: memory that an event frees and none allocates, or that a block
// holds at the end and no event allocates, counts from the start. Reserved
// memory is known at the end only, as the sum of the segments. Its earlier
// levels follow from the events.
//
// The peak is the largest level; the first event that reaches it. It is at the
// start if nothing exceeds the start.
//
// At every moment, reserved memory = given-out memory + what the allocator
// keeps: rounding and free blocks. Only the segments at the end tell these two
// apart.

#ifndef TFPROF_ACCOUNTING_ALLOCATOR_LEVELS_H_
#define TFPROF_ACCOUNTING_ALLOCATOR_LEVELS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "profile/tables/allocators.h"
#include "util/arithmetic.h"

namespace tfprof::accounting {

struct AllocatorLevels {
  struct Level {
    int64_t start = 0;
    int64_t end = 0;
    int64_t peak = 0;
    std::optional<size_t> peak_event;  // no value: the peak is at the start
  };
  Level allocated;
  Level reserved;
  int64_t reserved_at_peak = 0;  // of `allocated`
  int64_t allocations = 0;       // events
  int64_t frees = 0;
};

// Memory of one stack and operator.
struct HeldMemory {
  profile::StackId stack = profile::kNoStack;
  profile::StringId op = profile::kNone;
  int64_t bytes = 0;
  int64_t count = 0;  // allocations
};

AllocatorLevels LevelsOf(const profile::AllocatorHistory& history);

// How an event changes the two levels.
inline int64_t AllocatedBy(const profile::AllocatorHistory& history,
                           const profile::AllocatorEvent& event) {
  using Kind = profile::AllocatorEvent::Kind;
  if (event.kind == Kind::kAllocate) return event.bytes;
  if (event.kind != Kind::kFree) return 0;
  return -(event.pair == profile::kNone ? event.bytes
                                        : history.events[event.pair].bytes);
}
inline int64_t ReservedBy(const profile::AllocatorEvent& event) {
  using Kind = profile::AllocatorEvent::Kind;
  if (event.kind == Kind::kReserve) return event.bytes;
  return event.kind == Kind::kRelease ? -event.bytes : 0;
}

// Calls `visit` with the index of each event and the levels after it, allocated
// and reserved.
template <typename Visit>
void ForEachLevel(const profile::AllocatorHistory& history,
                  const AllocatorLevels& levels, Visit visit) {
  int64_t allocated = levels.allocated.start;
  int64_t reserved = levels.reserved.start;
  for (size_t i = 0; i < history.events.size(); ++i) {
    const profile::AllocatorEvent& event = history.events[i];
    allocated = util::WrapAdd(allocated, AllocatedBy(history, event));
    reserved = util::WrapAdd(reserved, ReservedBy(event));
    visit(i, allocated, reserved);
  }
}

// The owners of memory, the largest first: of what was held at the peak of
// `allocated`, and of what events allocated and none freed.
std::vector<HeldMemory> HeldAtPeak(const profile::AllocatorHistory& history,
                                   const AllocatorLevels& levels);
std::vector<HeldMemory> NeverFreed(const profile::AllocatorHistory& history);

// Returns whether a function belongs to PyTorch's allocator, or to the code
// that records its stacks. Such frames do not tell who needs the memory.
bool IsAllocatorFunction(std::string_view function);

// The blocks of a segment, or of several.
struct SegmentSums {
  int64_t segments = 0;
  int64_t reserved = 0;
  int64_t allocated = 0;  // as requested
  int64_t internal = 0;   // rounding of allocated blocks
  int64_t external = 0;   // of all other blocks
  int64_t awaiting = 0;   // of these: freed, but another stream may use them
  int64_t largest_free = 0;
  int64_t allocated_blocks = 0;
  int64_t free_blocks = 0;

  void Add(const SegmentSums& other);
};

SegmentSums SumsOf(const profile::AllocatorHistory& history,
                   const profile::AllocatorSegment& segment);
// Of all segments.
SegmentSums SumsOf(const profile::AllocatorHistory& history);

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_ALLOCATOR_LEVELS_H_
