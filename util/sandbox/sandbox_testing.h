// For tests of confined processes: a child that takes rights from itself.

#ifndef TFPROF_UTIL_SANDBOX_SANDBOX_TESTING_H_
#define TFPROF_UTIL_SANDBOX_SANDBOX_TESTING_H_

#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <string>

namespace tfprof::util {

// Calls `work` in a child and returns its result, 0 to 255, or -1 if a signal
// ended the child.
inline int InChild(const std::function<int()>& work) {
  const pid_t pid = fork();
  if (pid == 0) _exit(work());
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// 0, or the errno of opening the file.
inline int OpenError(const std::string& path, int flags) {
  const int fd = open(path.c_str(), flags, 0600);
  const int error = errno;
  if (fd < 0) return error;
  close(fd);
  return 0;
}

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_SANDBOX_SANDBOX_TESTING_H_
