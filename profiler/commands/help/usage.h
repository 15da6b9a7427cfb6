// --help: the text for a person who does not know the program, made from the
// tables of flags, commands and options.

#ifndef TFPROF_PROFILER_COMMANDS_HELP_USAGE_H_
#define TFPROF_PROFILER_COMMANDS_HELP_USAGE_H_

#include <span>
#include <string>
#include <string_view>

namespace tfprof::commands {

std::string UsageText();

// The program without arguments: what it is and how to begin, on one screen of
// 24 lines and 80 columns.
std::string StartText();

// A name and its meaning, for --help and the manual page.
struct Meaning {
  std::string_view name;
  std::string_view help;
};
inline constexpr std::string_view kPurpose =
    "tfprof shows where the time, the memory and the parameters of a machine "
    "learning program are: by scope of the model, by graph, by operation and "
    "by line of code.";
std::span<const Meaning> ExitStatuses();
std::span<const Meaning> Environment();
std::span<const Meaning> UsageExamples();

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_HELP_USAGE_H_
