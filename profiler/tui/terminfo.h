// Facts of the description of the terminal (terminfo) that ncurses does not
// use.

#ifndef TFPROF_PROFILER_TUI_TERMINFO_H_
#define TFPROF_PROFILER_TUI_TERMINFO_H_

#include <string>

#include "absl/status/status.h"

namespace tfprof::tui {

// FailedPrecondition if stdin and stdout are no terminal on which text can be
// placed; the message is a sentence about the missing part. It writes nothing.
absl::Status CheckTerminal();

// Texts that make the terminal leave the screen of ncurses, and come back to
// it. They belong to the current terminal, which newterm() has set.
std::string LeaveText();
std::string EnterText();

// While one lives, the process has no current terminal until one is set. That
// of others (libedit) is then the current one again.
class OwnTerminal {
 public:
  OwnTerminal();
  ~OwnTerminal();
  OwnTerminal(const OwnTerminal&) = delete;
  OwnTerminal& operator=(const OwnTerminal&) = delete;

 private:
  void* before_;
};

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_TERMINFO_H_
