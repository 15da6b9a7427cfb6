// The command `advise`: which checkers it runs, and where their findings go.
//
// Plain `advise` is the reference's: its checkers, its text, on stdout whatever
// -output file, none, timeline or pprof says. With `all`, -checkers or
// -checker_options the advice is a report as any other, and -output holds.

#ifndef TFPROF_PROFILER_COMMANDS_ADVISE_H_
#define TFPROF_PROFILER_COMMANDS_ADVISE_H_

#include "absl/status/status.h"
#include "advisor/choice.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/ui.h"
#include "views/views.h"

namespace tfprof {

// Not OK: the output makes no sense or cannot be written, which the caller has
// to tell. What a checker lacked is told to `ui`.
absl::Status RunAdvise(CheckerRegistry registry, const Command& command,
                       Views& views, Ui& ui);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_ADVISE_H_
