#include "util/run/huge_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace tfprof::util {

void AdviseHugePages(void* memory, size_t bytes) {
  constexpr uintptr_t kPage = uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<uintptr_t>(memory);
  const uintptr_t first = (begin + kPage - 1) / kPage * kPage;
  const uintptr_t last = (begin + bytes) / kPage * kPage;
  if (first >= last) return;
  madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

}  // namespace tfprof::util
