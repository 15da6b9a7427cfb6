// Huge pages for large arrays that are filled at once.
//
// The system gives memory in pages of 4 KB when they are first written, which
// takes longer than to fill them. With this advice it gives 2 MB at a time
// where it can. Only for arrays whose memory will be used: a huge page is
// resident as a whole.

#ifndef TFPROF_UTIL_HUGE_PAGES_H_
#define TFPROF_UTIL_HUGE_PAGES_H_

#include <cstddef>

namespace tfprof {

// Advises the huge pages that are wholly in the memory. Nothing depends on
// whether the system takes the advice.
void AdviseHugePages(void* memory, size_t bytes);

}  // namespace tfprof

#endif  // TFPROF_UTIL_HUGE_PAGES_H_
