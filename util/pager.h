// Text that is longer than the screen, through the reader's pager.
//
// That is $PAGER, or less, which then gets LESS=FRX unless LESS is set: leave
// when all fits, show colours, keep the text on the screen.

#ifndef TFPROF_UTIL_PAGER_H_
#define TFPROF_UTIL_PAGER_H_

#include <cstdio>
#include <functional>
#include <string>

namespace tfprof {

// The command, for the shell; "": there is none. None where the terminal is
// dumb, where $PAGER is empty or cat, and where less is not installed.
std::string PagerCommand();

// Runs `command` on what `write` writes, and waits for its end. Ctrl-C is the
// pager's meanwhile. False: it cannot be started, and `write` was not called.
bool RunPager(const std::string& command,
              const std::function<void(FILE*)>& write);

}  // namespace tfprof

#endif  // TFPROF_UTIL_PAGER_H_
