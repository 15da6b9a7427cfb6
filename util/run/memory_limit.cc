#include "util/run/memory_limit.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

namespace tfprof::util {
namespace {

// The handler of operator new has no arguments, so these are global.
std::atomic<int> exit_status = 1;
std::atomic<bool> limited = false;

[[noreturn]] void OnNoMemory() {
  // Nothing here may allocate.
  const char* text =
      limited.load()
          ? "tfprof: out of memory: this profile needs more than --max_memory "
            "allows; raise the limit, or load fewer files at a time\n"
          : "tfprof: out of memory: the system has no more; load fewer files "
            "at a time, or only one step\n";
  if (write(STDERR_FILENO, text, std::strlen(text)) < 0) _exit(exit_status);
  _exit(exit_status);
}

}  // namespace

void EndWithoutMemory(int status) {
  exit_status = status;
  std::set_new_handler(OnNoMemory);
}

void LimitMemory(size_t bytes, int threads) {
  if (bytes == 0) return;
  constexpr size_t kStackBytes = size_t{8} << 20;
  const size_t own =
      kProgramBytes + kStackBytes * static_cast<size_t>(std::max(threads, 1));
  rlimit limit;
  if (getrlimit(RLIMIT_DATA, &limit) != 0 || bytes > limit.rlim_max - own) {
    return;
  }
  limit.rlim_cur = std::min<rlim_t>(limit.rlim_cur, bytes + own);
  limited = setrlimit(RLIMIT_DATA, &limit) == 0;
}

}  // namespace tfprof::util
