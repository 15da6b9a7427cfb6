// The manual page tfprof(1), made from the tables of flags, commands and
// options. `tfprof help tfprof.1` prints it.

#ifndef TFPROF_PROFILER_COMMANDS_HELP_MAN_PAGE_H_
#define TFPROF_PROFILER_COMMANDS_HELP_MAN_PAGE_H_

#include <string>

namespace tfprof::commands {

std::string ManPage();

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_HELP_MAN_PAGE_H_
