// The one parser of words into a Command: for lines of the shell, for scripts,
// and for the program's arguments.
//
//   COMMAND [-option value…] [ARGUMENT…]                  a line
//   [INPUT…] [COMMAND [-option value…]] [INPUT…]          the program
//
// An option has its value behind '=' or as the next word, and one dash; for the
// program two dashes are the same. In a line they are an error, as in the
// reference.
// The program has flags as well (options/flags.h), and words that no command
// takes are its inputs; `--` ends options. A value that is refused is the same
// error in both.
//
// The value of a boolean may be missing. The next word is its value if it is
// one that booleans take. Else it is not if it begins with a dash, if the
// command still takes it as an argument, or if, for the program, it is a
// command or an input: has a '.' or '/' in it, or exists. Any other word is a
// wrong value.

#ifndef TFPROF_PROFILER_COMMANDS_PARSE_H_
#define TFPROF_PROFILER_COMMANDS_PARSE_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "profiler/commands/commands.h"
#include "profiler/options/flags.h"

namespace tfprof {

// The word for which a line was refused, for a hint (shell/suggest.h).
struct Refusal {
  enum class Kind { kNothing, kCommand, kOption, kNoValue, kValue, kWord };
  Kind kind = Kind::kNothing;
  std::string word;
  std::string value;
  const Option* option = nullptr;        // of kNoValue, kValue
  const CommandInfo* command = nullptr;  // of kWord
};

// Parses the words of a line, whose quotes they still have. `defaults` are the
// options that `set` keeps. Errors are InvalidArgument, in the reference's
// words where it has any. `refusal` may be nullptr.
absl::StatusOr<Command> ParseCommand(std::span<const std::string> words,
                                     const Options& defaults,
                                     Refusal* refusal = nullptr);

struct CommandLine {
  ProgramFlags flags;
  Command command;  // command.info == nullptr: the shell
  bool help = false;
  bool version = false;
};

// `exists` says of a word whether it names an input.
absl::StatusOr<CommandLine> ParseCommandLine(
    std::span<const std::string> arguments, const Options& defaults = {},
    const std::function<bool(const std::string& word)>& exists = {},
    Refusal* refusal = nullptr);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_PARSE_H_
