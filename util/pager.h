// Shows text that is longer than the screen in the user's pager.
//
// The pager is $PAGER, or else less. It gets LESS=FRX unless LESS is set: less
// then quits if all text fits, shows colours, and keeps the text on the screen.

#ifndef TFPROF_UTIL_PAGER_H_
#define TFPROF_UTIL_PAGER_H_

#include <cstddef>
#include <cstdio>
#include <functional>
#include <string>

namespace tfprof {

// The pager's command line for sh. "" means no pager: the terminal is dumb,
// $PAGER is empty or cat, or less is not installed.
std::string PagerCommand();

// `command` with an option that keeps the first `lines` lines of its input in
// sight, if it is a less that has one (from version 600 on); otherwise
// `command` itself.
std::string WithHeader(const std::string& command, size_t lines);

// Runs `command` with the output of `write` as its input, and waits until it
// ends. Meanwhile Ctrl-C affects only the pager. False: there is no such
// program, or it cannot run, and nobody has seen what `write` wrote, if it was
// called. `problem`, if not null, becomes a sentence about a pager that failed.
bool RunPager(const std::string& command,
              const std::function<void(FILE*)>& write,
              std::string* problem = nullptr);

}  // namespace tfprof

#endif  // TFPROF_UTIL_PAGER_H_
