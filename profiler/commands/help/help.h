// help TOPIC: what a command, an option, a field, a checker or a rule is for.
//
// It is made from the tables of commands, options, outputs and checkers.

#ifndef TFPROF_PROFILER_COMMANDS_HELP_HELP_H_
#define TFPROF_PROFILER_COMMANDS_HELP_HELP_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace tfprof::commands {

// The text of `help`, which is the reference's.
std::string HelpText();

// `help` without a topic: the commands of every day, on one screen of 24 lines
// and 80 columns.
std::string ShortHelpText();

// `help all`: all commands, flags and options.
inline constexpr std::string_view kAllTopics = "all";

// The text for a topic: `all`, a command, an option with or without its dash, a
// statistic, a word of a table, a checker, a rule, or a page that is made from
// the tables: options.md, advise.md, commands.json, tfprof.1, completion.bash,
// completion.zsh, completion.fish. NotFound for an unknown one, with what may
// have been meant. `width` is that of the window, 0: none. Pages ignore it.
absl::StatusOr<std::string> HelpFor(std::string_view topic, size_t width = 0);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_HELP_HELP_H_
