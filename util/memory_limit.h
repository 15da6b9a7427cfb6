// What happens when memory is used up: the program ends with one line on stderr
// and an exit status, never with a signal.
//
// Most of what is allocated has no meaning without the rest, and there is
// nothing to give back: so nobody catches std::bad_alloc, and the program ends
// where memory is missing, in any thread. Only main() may ask for this.

#ifndef TFPROF_UTIL_MEMORY_LIMIT_H_
#define TFPROF_UTIL_MEMORY_LIMIT_H_

#include <cstddef>

namespace tfprof {

// From now on the process ends with `status` when it gets no memory.
void EndWithoutMemory(int status);

// The process may take `bytes` and what the program itself needs, with stacks
// for `threads`; what it asks for beyond that it does not get. Files that are
// mapped do not count. 0: no limit.
void LimitMemory(size_t bytes, int threads);

// What the program itself may need besides the data of profiles.
inline constexpr size_t kProgramBytes = size_t{256} << 20;

}  // namespace tfprof

#endif  // TFPROF_UTIL_MEMORY_LIMIT_H_
