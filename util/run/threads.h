// Runs work on several cores.
//
// ParallelFor(work, n, call) calls call(0) … call(n - 1), each once, on up to
// NumThreads(work) threads, and returns when all are done. Calls start in
// order, so a call that waits for an earlier one cannot deadlock. Results must
// not depend on which thread runs which call: each call writes only to its own
// place.

#ifndef TFPROF_UTIL_RUN_THREADS_H_
#define TFPROF_UTIL_RUN_THREADS_H_

#include <cstddef>
#include <functional>

#include "util/run/task_options.h"

namespace tfprof::util {

// At least 1.
int NumThreads(const TaskOptions& work);

void ParallelFor(const TaskOptions& work, size_t n,
                 const std::function<void(size_t)>& call);

// Returns the number of ranges into which n small items should be split: one
// per thread if each range then takes at least about 100 microseconds, twice
// the cost of a thread.
size_t NumRanges(const TaskOptions& work, size_t n);
// Splits 0 … n - 1 into NumRanges(work, n) ranges and calls call(begin, end)
// for each.
void ParallelRanges(const TaskOptions& work, size_t n,
                    const std::function<void(size_t, size_t)>& call);

// Calls call(i) for 0 … n - 1 on several threads, and merge(i) on this thread
// in order, each after its call. So ordered work overlaps with later calls. The
// calls are only a limited number of items ahead of the merge, which bounds the
// memory in use.
void ParallelPipeline(const TaskOptions& work, size_t n,
                      const std::function<void(size_t)>& call,
                      const std::function<void(size_t)>& merge);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_RUN_THREADS_H_
