// The one parser of words into a Command: for lines of the shell, for scripts,
// and for the program's arguments.
//
//   COMMAND [-option value…] [ARGUMENT…]                  a line
//   [INPUT…] [COMMAND [-option value…]] [INPUT…]          the program
//
// The value of an option follows '=' or is the next word. An option has one
// dash; for the program two dashes are the same, in a line they are an error,
// as in the reference. The program also has flags (options/flags.h), and words
// that no command takes are its inputs; `--` ends options. An invalid value is
// the same error in both.
//
// A line "op --help" is "help op". An argument that is a whole line, as in
// `tfprof FILE "op -limit 3"`, stands for its words, if there is no such file.
// It cannot redirect: a word that is not meant as a line must run nothing.
//
// The value of a boolean may be missing. If the next word is a boolean value
// (true, no, 1 …), it is taken. Otherwise it is not the value if it begins with
// a dash, if the command still takes it as an argument, or if, for the program,
// it is a command or an input: it contains a '.' or '/', or it exists. Any
// other word is an invalid value.

#ifndef TFPROF_PROFILER_COMMANDS_PARSE_H_
#define TFPROF_PROFILER_COMMANDS_PARSE_H_

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "profiler/commands/commands.h"
#include "profiler/options/flags.h"

namespace tfprof::commands {

// The word for which a line was refused, for a hint (shell/suggest.h).
struct Refusal {
  enum class Kind { kNothing, kCommand, kOption, kNoValue, kValue, kWord };
  Kind kind = Kind::kNothing;
  std::string word;
  std::string value;
  const options::Option* option = nullptr;  // of kNoValue, kValue
  const CommandInfo* command = nullptr;     // of kWord
};

// Parses the words of a line, which still have their quotes. `defaults` are the
// options that `set` keeps. Errors are InvalidArgument, with the reference's
// messages where it has one. `refusal` may be nullptr.
absl::StatusOr<Command> ParseCommand(std::span<const std::string> words,
                                     const options::Options& defaults,
                                     Refusal* refusal = nullptr);

struct CommandLine {
  options::ProgramFlags flags;
  Command command;  // command.info == nullptr: the shell
  // The options that are among the words.
  std::vector<const options::Option*> given;
  bool help = false;
  bool version = false;
};

// `exists` returns whether a word names an existing input.
absl::StatusOr<CommandLine> ParseCommandLine(
    std::span<const std::string> arguments,
    const options::Options& defaults = {},
    const std::function<bool(const std::string& word)>& exists = {},
    Refusal* refusal = nullptr);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_PARSE_H_
