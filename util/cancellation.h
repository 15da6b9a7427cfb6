// Cancellation: whether the one who asked still wants the answer.
//
// Whoever starts work owns a Cancellation and hands a pointer to what may take
// long; nullptr means that nobody can cancel. Long loops look at it now and
// then and return early, and their caller then fails with CANCELLED. What is
// kept for the next question, such as the totals of a view, is always finished:
// half of it would be wrong numbers later.
//
// Request() may be called from any thread and from a signal handler.

#ifndef TFPROF_UTIL_CANCELLATION_H_
#define TFPROF_UTIL_CANCELLATION_H_

#include <atomic>

namespace tfprof {

class Cancellation {
 public:
  Cancellation() = default;
  Cancellation(const Cancellation&) = delete;
  Cancellation& operator=(const Cancellation&) = delete;

  // Costs a load.
  bool requested() const { return requested_.load(std::memory_order_relaxed); }
  void Request() { requested_.store(true, std::memory_order_relaxed); }
  // Before the next question.
  void Reset() { requested_.store(false, std::memory_order_relaxed); }

 private:
  std::atomic<bool> requested_ = false;
  static_assert(std::atomic<bool>::is_always_lock_free);
};

inline bool IsCancelled(const Cancellation* cancellation) {
  return cancellation != nullptr && cancellation->requested();
}

}  // namespace tfprof

#endif  // TFPROF_UTIL_CANCELLATION_H_
