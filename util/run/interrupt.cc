#include "util/run/interrupt.h"

#include <atomic>

namespace tfprof::util {
namespace {

// A signal handler takes no argument of ours, so this is global.
std::atomic<Cancellation*> interrupted = nullptr;
static_assert(std::atomic<Cancellation*>::is_always_lock_free);

}  // namespace

InterruptCancels::InterruptCancels(Cancellation& cancellation)
    : cancellation_(cancellation) {
  cancellation_.Reset();
  interrupted.store(&cancellation);
  struct sigaction action = {};
  action.sa_handler = [](int) {
    if (Cancellation* cancellation = interrupted.load()) {
      cancellation->Request();
    }
  };
  // Pending writes continue; otherwise Ctrl-C would look like a full disk.
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &before_);
}

InterruptCancels::~InterruptCancels() {
  sigaction(SIGINT, &before_, nullptr);
  interrupted.store(nullptr);
  cancellation_.Reset();
}

}  // namespace tfprof::util
