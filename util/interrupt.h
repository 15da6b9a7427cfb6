// Ctrl-C as a request for cancellation.
//
//   InterruptCancels interrupts(cancellation);
//
// As long as one lives, SIGINT requests `cancellation` (util/cancellation.h)
// and does nothing else. A signal belongs to the process: at most one may live
// at a time. Only an interactive shell has one; elsewhere SIGINT ends the
// program as usual.

#ifndef TFPROF_UTIL_INTERRUPT_H_
#define TFPROF_UTIL_INTERRUPT_H_

#include <signal.h>

#include "util/cancellation.h"

namespace tfprof {

class InterruptCancels {
 public:
  // `cancellation` must outlive this. It is reset here and at the end.
  explicit InterruptCancels(Cancellation& cancellation);
  ~InterruptCancels();
  InterruptCancels(const InterruptCancels&) = delete;
  InterruptCancels& operator=(const InterruptCancels&) = delete;

 private:
  Cancellation& cancellation_;
  struct sigaction before_;
};

}  // namespace tfprof

#endif  // TFPROF_UTIL_INTERRUPT_H_
