// The command `check`: rules held against two profiles, with an exit status
// for CI (compare/check.h judges).

#ifndef TFPROF_PROFILER_COMMANDS_CHECK_H_
#define TFPROF_PROFILER_COMMANDS_CHECK_H_

#include <cstddef>

#include "profiler/commands/commands.h"
#include "profiler/shell/ui.h"

namespace tfprof {

// The exit statuses of check.
inline constexpr int kCheckPassed = 0;
inline constexpr int kCheckFailed = 1;      // a rule is broken
inline constexpr int kCheckImpossible = 2;  // rules or inputs make no sense

// Loads the two profiles that `command` names and writes the report. Without
// rules, DefaultCheckRules() hold.
int RunCheck(const Command& command, const CheckOptions& options,
             size_t max_memory, Ui& ui);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_CHECK_H_
