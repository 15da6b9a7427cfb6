// The program's arguments.
//
//   tfprof [INPUT…] [COMMAND [-option value…]] [INPUT…]
//
// Inputs are flags (--profile_path=F) or plain words (files, directories).
// Options are the shell's, with one dash or two, the value after `=` or as the
// next word; before a command they are defaults of the shell. `--` ends
// options.

#ifndef TFPROF_PROFILER_COMMAND_LINE_H_
#define TFPROF_PROFILER_COMMAND_LINE_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "loaders/load.h"
#include "profiler/check.h"
#include "profiler/commands.h"

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

// InvalidArgument: the words make no sense (exit status 2).
absl::StatusOr<CommandLine> ParseCommandLine(
    std::span<const std::string> arguments, const Options& defaults = {});

// The flags and what they mean, for --help.
std::string UsageText();

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMAND_LINE_H_
