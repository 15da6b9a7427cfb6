// SyscallFilter: takes from this process, for ever and for all of its later
// threads and children, the system calls that a reader of files does not need
// (seccomp).
//
// What is left: memory without code, threads, signals to the process itself,
// and reading and writing of open descriptors; files can be opened for reading
// only. There is no call that makes a socket, runs a program, starts a process,
// or looks at another process. A refused call fails with EPERM, so the program
// can say what it could not do. Calls with the numbers of another machine (32
// bits) end the process.

#ifndef TFPROF_UTIL_SANDBOX_SYSCALL_FILTER_H_
#define TFPROF_UTIL_SANDBOX_SYSCALL_FILTER_H_

#include "absl/status/status.h"

namespace tfprof::util {

struct AllowedCalls {
  // Connections to a socket that listens already.
  bool serve = false;
  // Files are made, written and removed.
  bool change_files = false;
};

// Call it while there is one thread: others stay free. Errors: Unimplemented
// on machines that are not x86-64 or AArch64; else the error of the system.
absl::Status FilterSyscalls(const AllowedCalls& allowed);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_SANDBOX_SYSCALL_FILTER_H_
