// Work on several cores.
//
// ParallelFor(work, n, call) calls call(0) … call(n - 1), each once, from up to
// NumThreads(work) threads, and returns when all are done. Calls start in
// order, so a call that waits for an earlier one cannot deadlock. Results must
// not depend on which thread ran what: callers give every call a place of its
// own to write to.

#ifndef TFPROF_UTIL_THREADS_H_
#define TFPROF_UTIL_THREADS_H_

#include <cstddef>
#include <functional>

#include "util/work.h"

namespace tfprof {

// At least 1.
int NumThreads(const Work& work);

void ParallelFor(const Work& work, size_t n,
                 const std::function<void(size_t)>& call);

// Into how many ranges n small things are worth being cut: one for each thread
// if that gives each some 100 microseconds, which is what a thread costs twice.
size_t NumRanges(const Work& work, size_t n);
// Calls call(begin, end) for so many consecutive ranges that cover 0 … n - 1.
void ParallelRanges(const Work& work, size_t n,
                    const std::function<void(size_t, size_t)>& call);

// Calls call(i) for 0 … n - 1 on several threads and merge(i) on this one, in
// order, each when its call is done: what must happen in order overlaps with
// the calls that come next. Calls are at most some pieces ahead of the merge,
// which bounds the memory between them.
void ParallelPipeline(const Work& work, size_t n,
                      const std::function<void(size_t)>& call,
                      const std::function<void(size_t)>& merge);

}  // namespace tfprof

#endif  // TFPROF_UTIL_THREADS_H_
