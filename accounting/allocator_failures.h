// AllocatorFailures: requests of memory that failed, and what stood in the way,
// from the history of an allocator (profile/tables/allocators.h).
//
// The free pieces of an allocator are known only where its recording ends. They
// tell why a request failed if the levels are still about those of the request:
// a program that catches the error and goes on has freed much. Otherwise only
// the sum of free pieces and rounding is known.
//
// A piece serves a request only of its own stream and pool (that of small
// blocks, up to 1 MB; the common pool, or that of a CUDA graph). The pool of a
// request is not recorded; it is taken for the common one.
//
// Bytes are as in the history: what is allocated is as requested.

#ifndef TFPROF_ACCOUNTING_ALLOCATOR_FAILURES_H_
#define TFPROF_ACCOUNTING_ALLOCATOR_FAILURES_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "accounting/allocator_levels.h"
#include "profile/tables/allocators.h"

namespace tfprof::accounting {

struct AllocatorFailure {
  enum class Cause {
    kFull,         // there was not so much memory
    kFragmented,   // its own pool had so much, but not in one piece
    kOtherStream,  // a piece of another stream was large enough
    kOtherPool,    // a piece of a private pool was large enough
    kRounding,     // rounding of other requests took so much
  };

  size_t event = 0;  // in AllocatorHistory::events
  int64_t requested = 0;
  int64_t device_free = 0;
  int64_t allocated = 0;
  int64_t reserved = 0;
  Cause cause = Cause::kFull;
  // Whether the free pieces are known. If not, `free` has free pieces and
  // rounding, and the others are 0.
  bool knows_pieces = false;
  int64_t free = 0;       // that the request could use
  int64_t largest = 0;    // the largest piece of it
  int64_t elsewhere = 0;  // the largest piece that it could not use
  int64_t rounding = 0;
};

// In the order of the events.
std::vector<AllocatorFailure> FailuresOf(
    const profile::AllocatorHistory& history, const AllocatorLevels& levels);

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_ALLOCATOR_FAILURES_H_
