// The loop of the shell: the lines of a Ui, one after another, in a session.

#ifndef TFPROF_PROFILER_SHELL_RUN_SHELL_H_
#define TFPROF_PROFILER_SHELL_RUN_SHELL_H_

#include "absl/status/status.h"

namespace tfprof::shell {

class Shell;
class Ui;

// The texts before the lines of the shell.
enum class Greeting {
  kNone,
  kIfNoLines,  // the overview, if there is not one line
  kOverview,   // the overview, always
};

// Runs the lines of `ui` until it ends or one says exit. False: a command
// failed.
bool RunShell(Shell& session, Ui& ui, Greeting greeting = Greeting::kNone);

// The overview with the options of the session.
absl::Status ShowOverview(Shell& session);

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_RUN_SHELL_H_
