// Commands: the one table of them, and how a line becomes one.
//
// A shell line and the words of a command line go through the same parser
// into the same Command. Grammar: COMMAND, then options (`-name value`) and,
// for some commands, plain words (a file, a topic). Errors are
// InvalidArgument, in the reference's words where it has any.

#ifndef TFPROF_PROFILER_COMMANDS_COMMANDS_H_
#define TFPROF_PROFILER_COMMANDS_COMMANDS_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "profiler/options/options.h"

namespace tfprof {

enum class CommandId {
  kScope,
  kGraph,
  kCode,
  kOp,
  kAdvise,
  kSet,
  kHelp,
  kStatus,
  kChangePlace,  // from here to kDoctor: navigate.h
  kUp,
  kPlace,
  kList,
  kTop,
  kShow,
  kPeek,
  kSource,
  kSteps,
  kDevices,
  kDoctor,
  kSave,
  kLoad,
  kReload,
  kBase,
  kCheck,
  kConvert,
  kExit,
};

struct CommandInfo {
  CommandId id;
  std::string_view name;
  std::string_view arguments;  // for help: "FILE"
  size_t min_arguments;
  size_t max_arguments;
  bool one_shot;  // makes sense as the command of the program
  std::string_view help;
  // The only word that its argument can be; "": it can be any.
  std::string_view only_argument = "";
  // What completes its plain words.
  Completes completes = Completes::kChoices;
};

struct Command {
  const CommandInfo* info = nullptr;
  Options options;
  std::vector<std::string> arguments;
};

// Whether a plain word is the next argument of `command`.
bool TakesArgument(const Command& command, std::string_view word);

// Whether the next word is a topic of help, dash or not: "help -select". To
// `help -select bytes`, with a value, the reference answers as to `help`.
bool WantsTopic(const Command& command, bool is_last);

// Whether `option` means something in `command`.
bool Uses(const CommandInfo& command, const Option& option);

std::span<const CommandInfo> CommandTable();
// nullptr: no such command.
const CommandInfo* FindCommand(std::string_view name);

// Parses the words of a line. `defaults` are the options that `set` left.
absl::StatusOr<Command> ParseCommand(const std::vector<std::string>& words,
                                     const Options& defaults);

// Whether the command has the arguments that it needs and no options that are
// for another one. `info` may be nullptr: the shell.
absl::Status CheckCommand(const Command& command);

// Sets one option from its word and its value; `value` is nullptr when there
// is no word after it. Used for lines and for the program's own arguments.
absl::Status ParseOption(const Option& option, const std::string* value,
                         Options& options);

// The line that gives this command with these options: those that differ from
// the defaults, without those that say where the report goes and how it looks.
std::string SpellCommand(const Command& command);

// What `help` adds for a person: the commands that the reference lacks.
std::string MoreHelpText();

// The text of `help`, which is the reference's.
std::string HelpText();

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_COMMANDS_H_
