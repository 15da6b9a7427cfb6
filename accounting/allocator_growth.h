// AllocatorGrowth: memory that a program keeps more of with each step, from the
// history of an allocator (profile/tables/allocators.h).
//
// The recording is divided into parts: the steps that PyTorch's profiler marked
// ("ProfilerStep#3"), else the time from one end of Optimizer.step to the next,
// else kEqualParts parts of equal length. A part in which nothing is allocated
// does not count: it is often the one in which the recording ended.
//
// A stack grows if it holds more at the end of one part than at the end of the
// one before, in a quarter of the parts (of equal parts: in more than half), if
// it gives little of that back, and if it still grows in the last quarter: what
// fills a buffer or loads a model ends, and is no growth. Of equal parts, most
// must free memory too, so that something repeats. What matters is how much is
// held, not what is never freed: a tensor that is replaced by a larger one
// grows.
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
    int64_t bytes = 0;  // allocated in the parts, and held at their end
    int64_t count = 0;  // allocations with these bytes
    size_t parts = 0;   // those in which it grew
    // The mean from the end of the first part to the end of the last.
    int64_t bytes_per_part = 0;
  };

  bool parts_are_steps = false;
  size_t parts = 0;           // 0: too few, or no times
  std::vector<Owner> owners;  // the most bytes first

  int64_t bytes_per_part() const;  // of all owners
};

AllocatorGrowth GrowthOf(const profile::AllocatorHistory& history,
                         const profile::StringPool& strings);

}  // namespace tfprof::accounting

#endif  // TFPROF_ACCOUNTING_ALLOCATOR_GROWTH_H_
