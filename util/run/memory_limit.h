// Ends the program when it runs out of memory: with one line on stderr and an
// exit status, never with a signal.
//
// Most data is useless without the rest, and there is nothing to free. So no
// code catches std::bad_alloc, and the program ends at the failing allocation,
// in any thread. Only main() may call this.

#ifndef TFPROF_UTIL_RUN_MEMORY_LIMIT_H_
#define TFPROF_UTIL_RUN_MEMORY_LIMIT_H_

#include <cstddef>

namespace tfprof::util {

// From now on, a failing allocation ends the process with `status`.
void EndWithoutMemory(int status);

// Limits the memory of the process to `bytes`, plus kProgramBytes and the
// stacks of `threads` threads. Mapped files do not count. 0: no limit.
void LimitMemory(size_t bytes, int threads);

// Memory for the program itself, besides the data of profiles.
inline constexpr size_t kProgramBytes = size_t{256} << 20;

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_RUN_MEMORY_LIMIT_H_
