#include "util/stop.h"

#include <atomic>

namespace tfprof {
namespace {

std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free);

}  // namespace

bool StopRequested() { return stop_requested.load(std::memory_order_relaxed); }

void RequestStop() { stop_requested.store(true, std::memory_order_relaxed); }

void ClearStop() { stop_requested.store(false, std::memory_order_relaxed); }

InterruptStops::InterruptStops() {
  ClearStop();
  struct sigaction action = {};
  action.sa_handler = [](int) { RequestStop(); };
  // A write that was under way goes on: it must not look like a full disk.
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &before_);
}

InterruptStops::~InterruptStops() {
  sigaction(SIGINT, &before_, nullptr);
  ClearStop();
}

}  // namespace tfprof
