// The command `advise`: which checkers it runs, and what -output does to it.
//
// Plain `advise` is the reference's: its checkers, its text, on stdout whatever
// -output file, none, timeline or pprof says. With `all`, -checkers or
// -checker_options the advice is a report as any other, and -output holds.

#ifndef TFPROF_PROFILER_COMMANDS_ADVISE_H_
#define TFPROF_PROFILER_COMMANDS_ADVISE_H_

#include "advisor/choice.h"
#include "profiler/commands/commands.h"

namespace tfprof {

// The answer of `command` with the checkers of `registry`, which must outlive
// it.
Answer Advise(CheckerRegistry registry, const Command& command,
              Workspace& workspace);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_ADVISE_H_
