// AllocatorHistory: what the memory allocator of one device did, and what it
// held at the end, as a memory snapshot of PyTorch has it.
//
// A segment is memory that the allocator reserved from the driver. Its blocks
// cover it without gaps. Events are in the order of the file. The loader pairs
// each allocation with its release, so nobody needs to replay addresses.
//
// Ranges are what the program said it did: "ProfilerStep#3". They are in the
// order of their starts, and may overlap.
//
// Sizes are bytes from 0 to kMaxBytes, times nanoseconds from any origin.
// Stacks are stacks of the profile and contain all frames, not only Python.
// Immutable; shared between profiles.

#ifndef TFPROF_PROFILE_TABLES_ALLOCATORS_H_
#define TFPROF_PROFILE_TABLES_ALLOCATORS_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "profile/tables/call_stacks.h"
#include "profile/tables/string_pool.h"

namespace tfprof::profile {

struct AllocatorEvent {
  enum class Kind : uint8_t {
    kAllocate,
    kFreeRequested,  // another stream may still use the memory
    kFree,
    kReserve,  // a segment, or more of it
    kRelease,
    kOutOfMemory,
    kOther,
  };
  static constexpr int64_t kNoTime = std::numeric_limits<int64_t>::min();

  int64_t time = kNoTime;
  uint64_t address = 0;  // of kOutOfMemory: the bytes that the device had free
  int64_t bytes = 0;     // as requested
  StackId stack = kNoStack;
  StringId op = kNone;  // the operator that asked for it; kNone: not known
  // The event that frees this allocation, or that made what this event frees.
  // kNone: the file has none.
  uint32_t pair = kNone;
  Kind kind = Kind::kOther;
};

struct AllocatorBlock {
  enum class State : uint8_t {
    kFree,
    kAllocated,
    kAwaitingFree,  // freed by the program, in use on another stream
  };
  int64_t bytes = 0;
  int64_t requested = 0;
  StackId stack = kNoStack;
  StringId op = kNone;
  State state = State::kFree;
  bool seen = false;  // an event of the file allocated it
};

// A private pool, of a CUDA graph ("(0, 3)") or of the program ("(1, 0)"). Its
// memory serves no other requests. {0, 0}: the common pool.
using AllocatorPool = std::pair<int64_t, int64_t>;

struct AllocatorSegment {
  uint64_t address = 0;
  int64_t bytes = 0;
  int64_t stream = 0;
  AllocatorPool pool = {};
  bool small = false;        // for small blocks
  bool expandable = false;   // it may grow
  uint32_t first_block = 0;  // in AllocatorHistory::blocks
  uint32_t num_blocks = 0;
};

struct AllocatorRange {
  StringId name = kNone;
  int64_t start = 0;
  int64_t end = 0;  // not before the start
};

struct AllocatorHistory {
  static constexpr int64_t kMaxBytes = int64_t{1} << 50;

  std::string name;  // "gpu:0"
  std::vector<AllocatorEvent> events;
  std::vector<AllocatorSegment> segments;
  std::vector<AllocatorBlock> blocks;
  std::vector<AllocatorRange> ranges;
  // The streams of the events kOutOfMemory, in their order.
  std::vector<int64_t> failure_streams;

  size_t bytes() const {
    return events.capacity() * sizeof(AllocatorEvent) +
           segments.capacity() * sizeof(AllocatorSegment) +
           blocks.capacity() * sizeof(AllocatorBlock) +
           ranges.capacity() * sizeof(AllocatorRange) +
           failure_streams.capacity() * sizeof(int64_t);
  }
};

using Allocators = std::vector<AllocatorHistory>;

}  // namespace tfprof::profile

#endif  // TFPROF_PROFILE_TABLES_ALLOCATORS_H_
