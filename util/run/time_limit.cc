#include "util/run/time_limit.h"

#include <signal.h>
#include <unistd.h>

#include <atomic>

namespace tfprof::util {
namespace {

// A signal handler takes no argument of ours, so this is global.
std::atomic<int> late_status = 1;

void EndLate(int) {
  const int status = late_status.load();
  if (write(STDERR_FILENO, kOutOfTimeLine.data(), kOutOfTimeLine.size()) < 0) {
    _exit(status);
  }
  _exit(status);
}

}  // namespace

void LimitTime(unsigned seconds, int status) {
  if (seconds == 0) return;
  late_status = status;
  struct sigaction action = {};
  action.sa_handler = EndLate;
  sigaction(SIGALRM, &action, nullptr);
  alarm(seconds);
}

}  // namespace tfprof::util
