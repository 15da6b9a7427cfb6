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

}  // namespace tfprof

#endif  // TFPROF_UTIL_THREADS_H_
