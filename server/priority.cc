#include "server/priority.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <string_view>

namespace tfprof {
namespace {

constexpr int kLowest = 19;
constexpr std::string_view kLowestText = "19";

}  // namespace

void LowerThread() {
  const auto thread = static_cast<id_t>(syscall(SYS_gettid));
  // On Linux this is of the thread, not of its process.
  setpriority(PRIO_PROCESS, thread, kLowest);
}

void LowerOwnGroup() {
  if (getsid(0) != getpid()) return;
  const int file = open("/proc/self/autogroup", O_WRONLY | O_CLOEXEC);
  if (file < 0) return;
  // A kernel without groups, or one that refuses, leaves all as it is.
  [[maybe_unused]] const ssize_t written =
      write(file, kLowestText.data(), kLowestText.size());
  close(file);
}

}  // namespace tfprof
