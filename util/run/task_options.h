// TaskOptions: options for a computation, passed by its caller.
//
// TaskOptions{} uses every core that the process may use and cannot be
// cancelled.

#ifndef TFPROF_UTIL_RUN_TASK_OPTIONS_H_
#define TFPROF_UTIL_RUN_TASK_OPTIONS_H_

#include "util/run/cancellation.h"

namespace tfprof::util {

struct TaskOptions {
  // The maximum number of threads; 0: one for each available core.
  int threads = 0;
  const Cancellation* cancellation = nullptr;

  bool cancelled() const { return IsCancelled(cancellation); }
};

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_RUN_TASK_OPTIONS_H_
