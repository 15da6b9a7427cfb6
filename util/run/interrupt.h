// Turns Ctrl-C into a request for cancellation.
//
//   InterruptCancels interrupts(cancellation);
//
// While the object exists, SIGINT only requests `cancellation`
// (util/run/cancellation.h). Signal handlers belong to the process, so at most
// one object may exist at a time. Only an interactive shell creates one;
// elsewhere SIGINT ends the program as usual.

#ifndef TFPROF_UTIL_RUN_INTERRUPT_H_
#define TFPROF_UTIL_RUN_INTERRUPT_H_

#include <signal.h>

#include "util/run/cancellation.h"

namespace tfprof::util {

class InterruptCancels {
 public:
  // `cancellation` must outlive this object. The constructor and the destructor
  // reset it.
  explicit InterruptCancels(Cancellation& cancellation);
  ~InterruptCancels();
  InterruptCancels(const InterruptCancels&) = delete;
  InterruptCancels& operator=(const InterruptCancels&) = delete;

 private:
  Cancellation& cancellation_;
  struct sigaction before_;
};

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_RUN_INTERRUPT_H_
