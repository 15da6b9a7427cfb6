// Huge pages for large arrays that are filled at once.
//
// The system allocates memory in pages of 4 KB at their first write, which
// takes longer than filling them. This advice makes it allocate 2 MB at a time
// where it can. Use it only for arrays that will be filled, because a huge page
// is resident as a whole.

#ifndef TFPROF_UTIL_RUN_HUGE_PAGES_H_
#define TFPROF_UTIL_RUN_HUGE_PAGES_H_

#include <cstddef>

namespace tfprof::util {

// Advises huge pages for all whole huge pages in the memory. The system may
// ignore the advice without harm.
void AdviseHugePages(void* memory, size_t bytes);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_RUN_HUGE_PAGES_H_
