// Exit statuses of the program, and of a request of `pipe`.

#ifndef TFPROF_PROFILER_SHELL_EXIT_STATUS_H_
#define TFPROF_PROFILER_SHELL_EXIT_STATUS_H_

namespace tfprof::shell {

inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;  // an input, or a command
inline constexpr int kUsage = 2;

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_EXIT_STATUS_H_
