// The command `advise`: which checkers it runs, and what -output does to it.
//
// It runs all checkers, the worst findings first; `advise all` is the same. In
// the reference's form it runs the reference's checkers, and writes their text
// to stdout even with -output file, none, timeline or pprof; with `all`,
// -checkers or -checker_options the advice is a report like any other, and
// -output decides where it goes.

#ifndef TFPROF_PROFILER_COMMANDS_SHOW_ADVISE_H_
#define TFPROF_PROFILER_COMMANDS_SHOW_ADVISE_H_

#include <memory>

#include "advisor/advice.h"
#include "advisor/choice.h"
#include "profiler/commands/commands.h"

namespace tfprof::commands {

// What all checkers find without options. They run once for a profile: each
// page of a server asks for it.
std::shared_ptr<const advisor::Advice> AllAdvice(OpenProfile& opened);

// The answer of `command` with the checkers of `registry`, which must outlive
// it.
tables::Answer Advise(advisor::CheckerRegistry registry, const Command& command,
                      Workspace& workspace);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_SHOW_ADVISE_H_
