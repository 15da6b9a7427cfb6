// The program behind main(): arguments in, exit status out.

#ifndef TFPROF_PROFILER_SHELL_PROGRAM_H_
#define TFPROF_PROFILER_SHELL_PROGRAM_H_

#include <span>
#include <string>

namespace tfprof {

class Session;
class Ui;

// Exit statuses.
inline constexpr int kOk = 0;
inline constexpr int kFailed = 1;  // an input, or a command
inline constexpr int kUsage = 2;

// What comes before the lines of the shell.
enum class Greeting {
  kNone,
  kIfNoLines,  // the overview, if there is not one line
  kOverview,   // the overview, always
};

// Runs the lines of `ui` until it ends or one says exit. False: a command
// failed.
bool RunShell(Session& session, Ui& ui, Greeting greeting = Greeting::kNone);

// The whole program, on the standard streams.
int RunProgram(std::span<const std::string> arguments);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_SHELL_PROGRAM_H_
