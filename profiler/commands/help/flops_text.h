// Texts about computed float operations: the table of formulas, and where the
// figures of a report come from.

#ifndef TFPROF_PROFILER_COMMANDS_HELP_FLOPS_TEXT_H_
#define TFPROF_PROFILER_COMMANDS_HELP_FLOPS_TEXT_H_

#include <string>

#include "flops/flops_column.h"

namespace tfprof::commands {

// The text of `help flops`.
std::string FormulasText();

// Lines for stderr. `column` is the column that `source` gives; `source` is
// kAuto or kGraph.
std::string DescribeFlops(flops::FlopsSource source,
                          const flops::FlopsColumn& column);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_HELP_FLOPS_TEXT_H_
