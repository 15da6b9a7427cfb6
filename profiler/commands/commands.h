// Commands: the one table of them, and how one is answered.
//
// A command is a file in this folder with its handler and its row, and a line
// in table.cc. The row says everything that is known about it: names, help,
// which options it uses, what completes its words, where it may be given. Shell
// lines, the program's arguments and scripts become Commands in parse.h.

#ifndef TFPROF_PROFILER_COMMANDS_COMMANDS_H_
#define TFPROF_PROFILER_COMMANDS_COMMANDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "profiler/commands/workspace.h"
#include "profiler/options/options.h"
#include "tables/answer.h"
#include "views/options.h"

namespace tfprof {

struct CommandInfo;

struct Command {
  const CommandInfo* info = nullptr;
  Options options;
  std::vector<std::string> arguments;

  // "" without one.
  std::string_view first_argument() const {
    return arguments.empty() ? std::string_view()
                             : std::string_view(arguments[0]);
  }
};

// Answers a command. It prints nothing and asks for no terminal.
using CommandHandler = Answer (*)(const Command& command, Workspace& workspace);

struct CommandInfo {
  // What a command of the program wants to be loaded.
  enum class Inputs {
    kProfile,   // one must be named
    kOptional,  // it can do without
    kNone,      // its arguments are its inputs
  };

  std::string_view name;
  std::string_view arguments = "";  // for help: "FILE"
  size_t min_arguments = 0;
  size_t max_arguments = 0;
  // It makes sense as the command of the program, not only in the shell.
  bool one_shot = true;
  Inputs inputs = Inputs::kProfile;
  std::string_view help;
  // The questions it answers.
  std::string_view answers;
  // Lines of the shell, which say something about any profile of a training
  // step.
  std::array<std::string_view, 2> examples;
  // The only word that its argument can be; "": it can be any.
  std::string_view only_argument = "";
  // What completes its plain words.
  Completes completes = Completes::kChoices;
  unsigned options = 0;              // OptionGroup
  unsigned outputs = kAnswerOutput;  // OutputKind
  // An option that must be given; "": none.
  std::string_view needs_option = "";
  // The view that it shows.
  std::optional<View> view = std::nullopt;
  // As the program's command, status 1 only says that what was judged is bad;
  // all that goes wrong is 2.
  bool is_verdict = false;
  CommandHandler run = nullptr;
};

// The reference's first, in the order of its completion.
std::span<const CommandInfo* const> CommandTable();
// Those that the reference has; its `help` has no topics.
inline constexpr size_t kReferenceCommands = 7;
// nullptr: no such command.
const CommandInfo* FindCommand(std::string_view name);

// Whether `option` means something in `command`.
bool Uses(const CommandInfo& command, const Option& option);

// Whether a plain word is the next argument of `command`.
bool TakesArgument(const Command& command, std::string_view word);

// Whether the next word is a topic of help, dash or not: "help -select". To
// `help -select bytes`, with a value, the reference answers as to `help`.
bool WantsTopic(const Command& command, bool is_last);

// Whether the command has the arguments that it needs and no options that are
// for another one. `info` may be nullptr: the shell.
absl::Status CheckCommand(const Command& command);

// The line that gives this command with these options: those that differ from
// the defaults, without those that say where the report goes and how it looks.
std::string SpellCommand(const Command& command);

// The options that choose other rows of the command's answer, or fewer.
std::vector<std::string> NarrowingOptions(const CommandInfo& command);

// Whether a person reads the answer, so that long lists are better cut. Those
// of an agent are cut when they are written.
bool IsForReading(const Options& options);

// Answers `command`. The answer points into the profiles of `workspace`, which
// the next `load` may replace: write it before. A status that is not OK beside
// content is a verdict, which the content explains.
Answer Run(const Command& command, Workspace& workspace);

// The status of an answer that says no, as of a check with a broken rule.
absl::Status NegativeVerdict(std::string_view summary);
bool IsNegativeVerdict(const absl::Status& status);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_COMMANDS_COMMANDS_H_
