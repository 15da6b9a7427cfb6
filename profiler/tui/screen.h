// The browser (browser.h) on a terminal, with ncurses.

#ifndef TFPROF_PROFILER_TUI_SCREEN_H_
#define TFPROF_PROFILER_TUI_SCREEN_H_

#include "absl/status/status.h"
#include "profiler/commands/workspace.h"
#include "profiler/options/options.h"
#include "util/run/cancellation.h"

namespace tfprof::tui {

// How the screen looks.
struct ScreenLook {
  bool color = true;
  bool unicode = true;
};

// Shows the browser until the person leaves. The terminal is then as before,
// also if a signal ends the program (terminal_guard.h). An error of
// CheckTerminal() (terminfo.h) if there is none. `cancellation` must be that of
// the workspace's work.
absl::Status BrowseOnTerminal(const commands::Workspace& workspace,
                              const options::Options& options,
                              const ScreenLook& look,
                              util::Cancellation& cancellation);

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_SCREEN_H_
