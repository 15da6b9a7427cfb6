// Runs work in a child process that is confined (confined.h), and answers its
// requests for new files (file_gate.h) until it ends.
//
//   const ChildEnd end = RunConfined(child, [] { return Read(); });
//
// The child is a copy of this process: call it while there is one thread. It
// dies with this process. SIGINT from a terminal reaches both.

#ifndef TFPROF_UTIL_SANDBOX_CONFINED_CHILD_H_
#define TFPROF_UTIL_SANDBOX_CONFINED_CHILD_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "util/sandbox/confined.h"

namespace tfprof::util {

struct ConfinedChild {
  Confinement confinement;
  // Descriptors of this process that it keeps, besides the standard streams.
  std::vector<int> descriptors;
  // Called in the child before its other descriptors are closed; may be empty.
  std::function<void()> before;
  // Whether it may make the file at `path`. Not asked if its confinement lets
  // it make files.
  std::function<bool(const std::string& path)> may_make;
  // It is killed after these; 0: never.
  unsigned seconds = 0;
  // SIGINT and SIGTERM do not end this process, but are SIGTERM for the child.
  bool passes_stop_signals = false;
  // Called in this process with the sentence of Confined::missing, if there is
  // one, before the work of the child ends.
  std::function<void(const std::string& missing)> say;
};

struct ChildEnd {
  int status = 0;  // what the work returned
  int signal = 0;  // that ended it; 0: none
  bool out_of_time = false;
  bool stopped = false;  // it got a signal that was passed on
};

// `work` returns the exit status of the child, which ends without destructors.
// Errors: those of ConfineProcess(), and of the system if there can be no
// child.
absl::StatusOr<ChildEnd> RunConfined(const ConfinedChild& child,
                                     const std::function<int()>& work);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_SANDBOX_CONFINED_CHILD_H_
