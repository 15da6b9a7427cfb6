// Work on all cores.
//
// ParallelFor(n, work) calls work(0) … work(n - 1), each once, from up to
// NumThreads() threads, and returns when all are done. Calls start in order,
// so work that waits for an earlier call cannot deadlock. Results must not
// depend on which thread ran what: callers give every call a place of its own
// to write to.

#ifndef TFPROF_UTIL_THREADS_H_
#define TFPROF_UTIL_THREADS_H_

#include <cstddef>
#include <functional>

namespace tfprof {

// The number of cores that this process may use, unless set.
int NumThreads();
// At least 1. For `-threads`, tests and benchmarks; not while work is running.
void SetNumThreads(int threads);

void ParallelFor(size_t n, const std::function<void(size_t)>& work);

// Into how many ranges n small things are worth being cut: one for each thread
// if that gives each some 100 microseconds, which is what a thread costs twice.
size_t NumRanges(size_t n);
// Calls work(begin, end) for so many consecutive ranges that cover 0 … n - 1.
void ParallelRanges(size_t n, const std::function<void(size_t, size_t)>& work);

// Calls work(i) for 0 … n - 1 on all cores and merge(i) on this thread, in
// order, each when its work is done: what must be done in order overlaps with
// the work on what comes next. Work is at most some pieces ahead of the merge,
// which bounds the memory between them.
void ParallelPipeline(size_t n, const std::function<void(size_t)>& work,
                      const std::function<void(size_t)>& merge);

}  // namespace tfprof

#endif  // TFPROF_UTIL_THREADS_H_
