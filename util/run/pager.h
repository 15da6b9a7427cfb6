// Shows long text in the user's pager.
//
// The pager is $PAGER, or else less. It gets LESS=FRX unless LESS is set: less
// then quits if all text fits, shows colours, and keeps the text on the screen.

#ifndef TFPROF_UTIL_RUN_PAGER_H_
#define TFPROF_UTIL_RUN_PAGER_H_

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>

namespace tfprof::util {

// Returns the pager's command line for sh. "" means no pager: the terminal is
// dumb, $PAGER is empty or cat, or less is not installed.
std::string PagerCommand();

// Adds an option to `command` that keeps the first `lines` lines of the text
// visible, if it is a less that has the option (version 600 or later).
// Otherwise returns `command` unchanged.
std::string WithHeader(const std::string& command, size_t lines);

// Runs `command` with the output of `write` as its input, and waits until it
// ends. Meanwhile Ctrl-C affects only the pager. Returns false if the program
// does not exist or cannot run; then the user has seen nothing, even if `write`
// was called. If the pager fails, `problem`, if not null, becomes a sentence
// about it.
bool RunPager(const std::string& command,
              const std::function<void(FILE*)>& write,
              std::string* problem = nullptr);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_RUN_PAGER_H_
