#include "server/live/priority.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string_view>

namespace tfprof::server {
namespace {

constexpr int kLowest = 19;
constexpr std::string_view kLowestText = "19";

}  // namespace

void LowerThread() {
  const auto thread = static_cast<id_t>(syscall(SYS_gettid));
  // In Linux this applies to the thread, not to its process.
  setpriority(PRIO_PROCESS, thread, kLowest);
}

void LowerOwnGroup() {
  if (getsid(0) != getpid()) return;
  const int file = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  // If the kernel has no groups or refuses, nothing changes.
  [[maybe_unused]] const ssize_t written =
      write(file, kLowestText.data(), kLowestText.size());
  close(file);
}

}  // namespace tfprof::server
