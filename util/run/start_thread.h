// Starts a thread if the system allows it. Under `ulimit -u` or in a container
// it may not; then the caller continues without the thread.

#ifndef TFPROF_UTIL_RUN_START_THREAD_H_
#define TFPROF_UTIL_RUN_START_THREAD_H_

#include <functional>
#include <thread>

namespace tfprof::util {

// Returns a thread that runs `call`, or a thread that is not joinable if none
// could be started.
std::jthread StartThread(std::function<void()> call);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_RUN_START_THREAD_H_
