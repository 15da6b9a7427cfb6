// Draws the screen for each state of the browser.

#ifndef TFPROF_PROFILER_TUI_DRAW_H_
#define TFPROF_PROFILER_TUI_DRAW_H_

#include "profiler/tui/browser.h"
#include "profiler/tui/picture.h"

namespace tfprof::tui {

// The window of `browser`, without its terminal. `unicode`: the terminal shows
// characters beyond ASCII. While the browser has work, it says so.
Picture Draw(const Browser& browser, bool unicode);

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_DRAW_H_
