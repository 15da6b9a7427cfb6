// AllocatorGrowth: memory that a program keeps more of with each step, from the
// history of an allocator (profile/tables/allocators.h).
//
// The recording is divided into parts: the steps that PyTorch's profiler marked
// ("ProfilerStep#3"), else the time from one end of Optimizer.step to the next,
// else kEqualParts parts of equal length. A part in which nothing is allocated
// does not count: it is often the one in which the recording ended. A stack
// grows if it allocated memory that was never freed in at least three quarters
// of the parts, and in at least kMinParts of them. Memory that lives for some
// steps and is freed then, and what one step holds when the recording ends, is
// no growth. A program that fills a buffer during the whole recording cannot be
// told from one that grows.
//
// Bytes are as requested. Events without a time are left out.

#ifndef TFPROF_ACCOUNTING_ALLOCATOR_GROWTH_H_
#define TFPROF_ACCOUNTING_ALLOCATOR_GROWTH_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profile/tables/allocators.h"
#include "profile/tables/call_stacks.h"
#include "profile/tables/string_pool.h"

namespace tfprof::accounting {

struct AllocatorGrowth {
  static constexpr size_t kEqualParts = 8;
  static constexpr size_t kMinParts = 4;

  // Memory of one stack and operator.
  struct Owner {
    profile::StackId stack = profile::kNoStack;
    profile::StringId op = profile::kNone;
    int64_t bytes = 0;
    int64_t count = 0;  // allocations
    size_t parts = 0;   // those in which it grew
    // The median over all parts, 0 for a part in which it did not grow.
    int64_t bytes_per_part = 0;
  };

  bool parts_are_steps = false;
  size_t parts = 0;           // 0: too few, or no times
  std::vector<Owner> owners;  // the most bytes first
};

AllocatorGrowth GrowthOf(const profile::AllocatorHistory& history,
                         const profile::StringPool& strings);

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_ALLOCATOR_GROWTH_H_
