// Work: how a computation may run, as a value that its caller passes.
//
// Work{} uses every core that the process may use and cannot be cancelled.

#ifndef TFPROF_UTIL_WORK_H_
#define TFPROF_UTIL_WORK_H_

#include "util/cancellation.h"

namespace tfprof {

struct Work {
  // At most so many threads; 0: one for each core that the process may use.
  int threads = 0;
  const Cancellation* cancellation = nullptr;

  bool cancelled() const { return IsCancelled(cancellation); }
};

}  // namespace tfprof

#endif  // TFPROF_UTIL_WORK_H_
