// Commands: the one table of them, and how one is answered.
//
// A command is a file in a folder here with its handler and its row, and a line
// in table.cc. The row has everything that is known about it: names,
// help, which options it uses, what completes its words, where it may be given.
// Shell lines, the program's arguments and scripts become Commands in parse.h.

#ifndef TFPROF_PROFILER_COMMANDS_COMMANDS_H_
#define TFPROF_PROFILER_COMMANDS_COMMANDS_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
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

namespace tfprof::commands {

struct CommandInfo;

struct Command {
  const CommandInfo* info = nullptr;
  options::Options options;
  std::vector<std::string> arguments;
  std::vector<std::string> notes;  // said with the answer

  // "" if there is none.
  std::string_view first_argument() const {
    return arguments.empty() ? std::string_view()
                             : std::string_view(arguments[0]);
  }
};

// Answers a command. It prints nothing and uses no terminal. If a command
// that the program has takes -step, the profile has that step.
using CommandHandler = tables::Answer (*)(const Command& command,
                                          Workspace& workspace);

struct CommandInfo {
  // Which inputs a command of the program needs.
  enum class Inputs {
    kProfile,   // a profile must be named
    kOptional,  // it works without one too
    kNone,      // its arguments are its inputs
  };

  std::string_view name;
  std::string_view arguments = "";  // for help: "FILE"
  size_t min_arguments = 0;
  size_t max_arguments = 0;
  // It may be the command of the program; if not, it is for the shell only.
  bool one_shot = true;
  Inputs inputs = Inputs::kProfile;
  std::string_view help;
  // The questions it answers.
  std::string_view answers;
  // Lines of the shell that are useful for any profile of a training step.
  std::array<std::string_view, 2> examples;
  // The only valid argument; "": any argument.
  std::string_view only_argument = "";
  // Its arguments are another program and the arguments of that program: the
  // parser reads nothing behind its first plain word or "--".
  bool takes_program = false;
  // What completes its plain words.
  options::Completes completes = options::Completes::kChoices;
  unsigned options = 0;                       // OptionGroup
  unsigned outputs = options::kAnswerOutput;  // OutputKind
  // An option that must be given; "": none.
  std::string_view needs_option = "";
  // The view that it shows.
  std::optional<views::View> view = std::nullopt;
  // A plain word chooses rows: a number is how many (-limit), another word is a
  // name or a part of one. A word of the program's arguments that is a file is
  // an input.
  bool filters = false;
  // It is about the open profile alone: beside a base it says so.
  bool ignores_base = false;
  // As the program's command, its exit status is 1 for a negative verdict only,
  // and 2 for all errors.
  bool is_verdict = false;
  // It shows or stores the content of the files, so that each file must be as
  // it was loaded, even if the command reads nothing from it.
  bool needs_files = false;
  // An option that names what the command shows, so that it has no inputs; "":
  // none.
  std::string_view option_for_inputs = "";
  // It answers by showing the full-screen browser, which needs a terminal.
  bool browses = false;
  // nullptr: it browses, or it is a command of the program that serves as long
  // as it is asked (program/serving.h).
  CommandHandler run = nullptr;
};

// The options of every command that answers with a table or a document.
inline constexpr unsigned kTableOptions =
    options::kOutputOptions | options::kColorOption;

// The reference's commands come first, in the order in which it completes them.
std::span<const CommandInfo* const> CommandTable();
// How many of them the reference has. Its `help` takes no topic.
inline constexpr size_t kReferenceCommands = 7;
std::vector<std::string> CommandNames();
// `?` is help. nullptr: no such command.
const CommandInfo* FindCommand(std::string_view name);

// Whether `command` uses `option`.
bool Uses(const CommandInfo& command, const options::Option& option);

// Whether a plain word is the next argument of `command`.
bool TakesArgument(const Command& command, std::string_view word);

// Whether the next word is a topic of help, even with a dash: "help -select".
// In `help -select bytes` it is an option, which the reference's help ignores.
bool WantsTopic(const Command& command, bool is_last);

// An error if the command lacks an argument that it needs, or has options that
// belong to another command. `info` may be nullptr: the shell.
absl::Status CheckCommand(const Command& command);

// Notes each option that was given, that chooses what is shown, and that the
// command does not read: the answer is another one than is asked for.
void NoteUnread(std::span<const options::Option* const> given,
                Command& command);

// The shell line for this command. It has the options that differ from the
// defaults, but none that says where the answer goes or how it looks.
std::string SpellCommand(const Command& command);

// The line that gives all rows of an answer, as data.
std::string WholeAsData(Command command);

// The options that change which rows the command's answer has.
std::vector<std::string> NarrowingOptions(const CommandInfo& command);

// Whether a person reads the answer, so that long lists are cut. For an agent
// they are cut when they are written.
bool IsForReading(const options::Options& options);

// Whether the files from which a command reads are still as they were loaded.
// Made before the command runs; asked again while its answer is written, which
// may read more, and before a file that it writes gets its name.
class IntactFiles {
 public:
  // For an answer that comes from no file.
  IntactFiles() = default;
  IntactFiles(const Command& command, const Workspace& workspace);

  // KeptFiles::Check() of the profiles that the command uses.
  absl::Status operator()() const;

 private:
  bool all_ = false;
  std::vector<std::shared_ptr<OpenProfile>> profiles_;
};

// Answers `command`. The answer points into the profiles of `workspace`, which
// the next `load` may replace: write it before. It is an error if a file from
// which the command read has changed since it was loaded. If the status is not
// OK and the answer has content, the status is a verdict, which the content
// explains.
tables::Answer Run(const Command& command, Workspace& workspace);

// The status of an answer whose verdict is negative: a check in which a rule
// failed, for example.
absl::Status NegativeVerdict(std::string_view summary);
bool IsNegativeVerdict(const absl::Status& status);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_COMMANDS_H_
