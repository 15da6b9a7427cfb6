// The program's arguments.
//
//   tfprof [INPUT…] [COMMAND [-option value…]] [INPUT…]
//
// Inputs are flags (--profile_path=F) or plain words (files, directories).
// Options are the shell's, with one dash or two, the value after `=` or as the
// next word; before a command they are defaults of the shell. `--` ends
// options.

#ifndef TFPROF_PROFILER_COMMANDS_COMMAND_LINE_H_
#define TFPROF_PROFILER_COMMANDS_COMMAND_LINE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/load.h"
#include "profiler/commands/commands.h"

namespace tfprof {

struct CommandLine {
  LoadRequest inputs;
  Command command;                // command.info == nullptr: the shell
  std::string script;             // -f FILE
  std::string self_profile;       // a file; empty: none
  int threads = 0;                // 0: all cores
  std::vector<std::string> base;  // files; empty: nothing to compare with
  CheckOptions check;             // of the command check
  bool help = false;
  bool version = false;
};

// A flag that is no option of the shell.
struct FlagInfo {
  std::string_view name;
  std::string_view value_name;
  std::string_view help;
  bool takes_file;
};
std::span<const FlagInfo> InputFlags();

// Something and what it means, for --help and the manual page.
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

// InvalidArgument: the words make no sense (exit status 2).
absl::StatusOr<CommandLine> ParseCommandLine(
    std::span<const std::string> arguments, const Options& defaults = {});

// What a person who knows nothing of it reads first: --help.
std::string UsageText();

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_COMMAND_LINE_H_
