// Completion of tfprof's command line in bash, zsh and fish, made from the
// tables of flags, commands and options. `tfprof help completion.bash` prints
// the file for bash, and so on.

#ifndef TFPROF_PROFILER_COMMANDS_HELP_COMPLETION_FILES_H_
#define TFPROF_PROFILER_COMMANDS_HELP_COMPLETION_FILES_H_

#include <string>

namespace tfprof::commands {

std::string BashCompletion();
std::string ZshCompletion();
std::string FishCompletion();

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_HELP_COMPLETION_FILES_H_
