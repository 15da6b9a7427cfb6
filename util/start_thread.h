// Starts a thread, if the system has one left. Under `ulimit -u`, or in a
// container, it may not: then the caller goes on without.

#ifndef TFPROF_UTIL_START_THREAD_H_
#define TFPROF_UTIL_START_THREAD_H_

#include <functional>
#include <thread>

namespace tfprof {

// A thread that runs `call`, or one that is not joinable.
std::jthread StartThread(std::function<void()> call);

}  // namespace tfprof

#endif  // TFPROF_UTIL_START_THREAD_H_
