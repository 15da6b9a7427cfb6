// The commands that serve: they answer not once, but as long as they are asked,
// or run another program. Their rows are in the command table, like all others;
// the functions behind them need rooms that the table may not know, such as the
// web server, so this table joins the two.

#ifndef TFPROF_PROFILER_PROGRAM_SERVING_H_
#define TFPROF_PROFILER_PROGRAM_SERVING_H_

#include <span>
#include <string_view>

#include "profiler/commands/parse.h"
#include "profiler/shell/terminal/terminal_ui.h"

namespace tfprof::program {

struct ServingCommand {
  std::string_view name;
  // Serves until it ends, on the standard streams. Returns the exit status.
  int (*serve)(const commands::CommandLine& line, shell::TerminalUi& ui);
};

std::span<const ServingCommand> ServingCommands();

// nullptr: the command answers once. `info` may be nullptr: the shell.
const ServingCommand* FindServing(const commands::CommandInfo* info);

// Flushes stdout and returns the exit status of the program.
int Finish(bool good, shell::TerminalUi& ui);

}  // namespace tfprof::program

#endif  // TFPROF_PROFILER_PROGRAM_SERVING_H_
