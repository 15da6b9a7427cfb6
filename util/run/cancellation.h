// Cancellation: a flag that asks long work to stop.
//
// The caller of the work owns the Cancellation and passes a pointer to it;
// nullptr means that the work cannot be cancelled. Long loops check the flag
// regularly and return early; their caller then returns CANCELLED. A partial
// result would give wrong numbers later, so whoever caches results for later
// requests completes them, or drops them if requests() has grown since.
//
// Request() may be called from any thread and from a signal handler.

#ifndef TFPROF_UTIL_RUN_CANCELLATION_H_
#define TFPROF_UTIL_RUN_CANCELLATION_H_

#include <atomic>
#include <cstdint>

namespace tfprof::util {

class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Cheap: a single load.
  bool requested() const { return requested_.load(std::memory_order_relaxed); }
  void Request() {
    requested_.store(true, std::memory_order_relaxed);
    requests_.fetch_add(1, std::memory_order_relaxed);
  }
  // The number of calls of Request(), which Reset() keeps.
  uint32_t requests() const {
    return requests_.load(std::memory_order_relaxed);
  }
  // Call this before the next request.
  void Reset() { requested_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_ = false;
  std::atomic<uint32_t> requests_ = 0;
  static_assert(std::atomic<uint32_t>::is_always_lock_free);
  static_assert(std::atomic<bool>::is_always_lock_free);
};

inline bool IsCancelled(const Cancellation* cancellation) {
  return cancellation != nullptr && cancellation->requested();
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_RUN_CANCELLATION_H_
