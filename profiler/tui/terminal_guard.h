// TerminalGuard: restores the terminal, whatever ends the program.
//
//   TerminalGuard guard(cancellation);
//   … newterm() and its modes …
//   guard.Started();
//   … the screen …                 // guard.Take…() say what came meanwhile
//   endwin();                      // before the guard's end
//
// While one lives, these signals are handled; afterwards they are as before:
//
//   SIGTERM, SIGHUP, SIGQUIT, and crashes   the terminal is restored at once,
//                               and the signal then ends the program
//   SIGTSTP, SIGCONT            the terminal is restored while the program is
//                               stopped, and set again when it goes on
//   SIGINT                      is work under way, it is cancelled; else it is
//                               a key
//   SIGWINCH                    the window has another size
//
// The same holds when memory is used up (util/run/memory_limit.h). A handler
// only calls functions that are safe there: what is to be written is prepared
// from the terminal's description. Signals belong to the process: at most one
// guard may live.

#ifndef TFPROF_PROFILER_TUI_TERMINAL_GUARD_H_
#define TFPROF_PROFILER_TUI_TERMINAL_GUARD_H_

#include <string>

#include "util/run/cancellation.h"

namespace tfprof::tui {

class TerminalGuard {
 public:
  // `cancellation` must outlive this.
  explicit TerminalGuard(util::Cancellation& cancellation);
  ~TerminalGuard();
  TerminalGuard(const TerminalGuard&) = delete;
  TerminalGuard& operator=(const TerminalGuard&) = delete;

  // The terminal has the modes of the screen now. `leave` and `enter` are what
  // to write so that it leaves the screen, and is as now again.
  void Started(const std::string& leave, const std::string& enter);

  // Between these, SIGINT requests the cancellation.
  void BeginWork();
  void EndWork();

  // Readable when a signal came. Reads all that is there.
  int wake_fd() const { return wake_[0]; }
  void Drain();
  bool TakeInterrupt();
  bool TakeResize();
  // The program was stopped and goes on: all must be drawn again.
  bool TakeContinued();

 private:
  int wake_[2] = {-1, -1};
};

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_TERMINAL_GUARD_H_
