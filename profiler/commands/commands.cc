#include "profiler/commands/commands.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "profiler/options/words.h"

namespace tfprof {
namespace {

// The first seven are the reference's, in the order of its completion.
constexpr CommandInfo kCommands[] = {
    {CommandId::kScope, "scope", "", 0, 0, true,
     "The profile by name scopes: the layers of the model as a tree."},
    {CommandId::kGraph, "graph", "", 0, 0, true,
     "By the graph: each operation above those that it reads from."},
    {CommandId::kCode, "code", "", 0, 0, true,
     "By the lines of Python that made the operations (needs their call "
     "stacks)."},
    {CommandId::kOp, "op", "", 0, 0, true, "By the type of operation."},
    {CommandId::kAdvise, "advise", "[all]", 0, 1, true,
     "Judge the profile by rules, and say what to look at.", "all"},
    {CommandId::kSet, "set", "", 0, 0, false,
     "Keep options for the lines that follow."},
    {CommandId::kHelp, "help", "[TOPIC]", 0, 1, true,
     "Explain a command, an option, a field or a rule.", "", Completes::kTopic},
    {CommandId::kStatus, "status", "", 0, 0, true,
     "What is loaded, from which files, what was dropped, and how much memory "
     "it takes."},
    {CommandId::kChangePlace, "cd", "[SCOPE]", 0, 1, false,
     "Go to a scope; without one, to the root. '..', '/' and 'code:' (the tree "
     "of the code) are as in paths.",
     "", Completes::kScope},
    {CommandId::kUp, "up", "", 0, 0, false, "Go one scope up."},
    {CommandId::kPlace, "pwd", "", 0, 0, false, "The scope where you are."},
    {CommandId::kList, "ls", "[SCOPE]", 0, 1, true,
     "What is in a scope, with time and bytes; by -order_by.", "",
     Completes::kScope},
    {CommandId::kTop, "top", "[N]", 0, 1, true,
     "The N (10) most expensive nodes in the scope where you are, by "
     "-order_by, else by time."},
    {CommandId::kShow, "show", "NODE", 1, 1, true,
     "All that is known about a node.", "", Completes::kNode},
    {CommandId::kPeek, "peek", "NODE", 1, 1, true,
     "What a node reads and who reads it, with times and bytes.", "",
     Completes::kNode},
    {CommandId::kSource, "list", "FILE[:LINE]", 1, 1, true,
     "Source lines with their times."},
    {CommandId::kSteps, "steps", "", 0, 0, true,
     "A line for each step: span, idle time, what devices did, memory."},
    {CommandId::kDevices, "devices", "", 0, 0, true,
     "A line for each device: nodes, executions, busy time, memory."},
    {CommandId::kDoctor, "doctor", "", 0, 0, true,
     "Whether the profile is fit to draw conclusions from."},
    {CommandId::kSave, "save", "FILE", 1, 1, true,
     "Write what is loaded as a ProfileProto.", "", Completes::kOutputFile},
    {CommandId::kLoad, "load", "FILE…", 1, 10000, false,
     "Open other files; the profile stays if that fails.", "",
     Completes::kFile},
    {CommandId::kReload, "reload", "", 0, 0, false,
     "Open the same files anew."},
    {CommandId::kBase, "base", "[FILE…|none]", 0, 10000, false,
     "Compare with this profile: views show what changed. Without a word, say "
     "which it is.",
     "", Completes::kFile},
    {CommandId::kCheck, "check", "BASE NEW", 2, 2, true,
     "Hold rules against what changed from one profile to another, for CI: "
     "--fail-if RULE, --rules FILE, --noise PERCENT. Status 1: one fails."},
    {CommandId::kConvert, "convert", "-to TYPE:KEY=PATH [-steps N,N-M,…]", 0, 0,
     true,
     "Write what is loaded, or some of its steps, as one ProfileProto or as a "
     "folder of graph, op log and run metadata."},
    {CommandId::kExit, "exit", "", 0, 0, false,
     "Leave (also quit, or Ctrl-D)."},
    {CommandId::kExit, "quit", "", 0, 0, false, "Leave."},
};

absl::Status InvalidOption(std::string_view option, std::string_view value) {
  return absl::InvalidArgumentError(
      fmt::format("Invalid option '{}' value: '{}'", option, value));
}

// What the commands of navigate.h read of the options, by name.
bool UsesAround(CommandId id, std::string_view name) {
  if (name == "output" || name == "color" || name == "agent") return true;
  const bool ranks = id == CommandId::kList || id == CommandId::kTop;
  if (name == "step") return id != CommandId::kDoctor;
  if (name == "order_by") return ranks;
  if (name == "flops") return ranks || id == CommandId::kShow;
  return name == "account_type_regexes" && (ranks || id == CommandId::kSource);
}

}  // namespace

bool TakesArgument(const Command& command, std::string_view word) {
  return command.arguments.size() < command.info->max_arguments &&
         (command.info->only_argument.empty() ||
          command.info->only_argument == word);
}

bool WantsTopic(const Command& command, bool is_last) {
  return is_last && command.info != nullptr &&
         command.info->completes == Completes::kTopic &&
         command.arguments.size() < command.info->max_arguments;
}

bool Uses(const CommandInfo& command, const Option& option) {
  switch (command.id) {
    case CommandId::kScope:
      return option.used_in & kInScope;
    case CommandId::kGraph:
      return option.used_in & kInGraph;
    case CommandId::kCode:
      return option.used_in & kInCode;
    case CommandId::kOp:
      return option.used_in & kInOp;
    case CommandId::kAdvise:
      return option.used_in & kInAdvise;
    case CommandId::kSet:
      return !(option.used_in & kInConvert);
    case CommandId::kConvert:
      return option.used_in & kInConvert;
    case CommandId::kList:
    case CommandId::kTop:
    case CommandId::kShow:
    case CommandId::kPeek:
    case CommandId::kSource:
    case CommandId::kSteps:
    case CommandId::kDevices:
    case CommandId::kDoctor:
      return UsesAround(command.id, option.name);
    case CommandId::kStatus:
    case CommandId::kPlace:
    case CommandId::kHelp:
    case CommandId::kBase:
    case CommandId::kCheck:
      return option.name == "output" || option.name == "agent" ||
             (option.name == "color" && command.id == CommandId::kStatus);
    default:
      return false;
  }
}

std::span<const CommandInfo> CommandTable() { return kCommands; }

const CommandInfo* FindCommand(std::string_view name) {
  for (const CommandInfo& command : kCommands) {
    if (command.name == name) return &command;
  }
  return nullptr;
}

absl::Status ParseOption(const Option& option, const std::string* value,
                         Options& options) {
  const std::string spelled = fmt::format("-{}", option.name);
  if (value == nullptr) return InvalidOption(spelled, "");
  absl::Status status = option.parse(*value, options);
  if (!status.ok() && status.message().empty()) {
    return InvalidOption(spelled, *value);
  }
  return status;
}

absl::Status CheckCommand(const Command& command) {
  const CommandInfo* info = command.info;
  const bool converts = info != nullptr && info->id == CommandId::kConvert;
  if (info != nullptr && (command.arguments.size() < info->min_arguments ||
                          (converts && command.options.convert.type ==
                                           ConvertSpec::Type::kNone))) {
    return absl::InvalidArgumentError(fmt::format("{} wants {}: {}", info->name,
                                                  info->arguments, info->help));
  }
  if (!converts && command.options.convert != ConvertSpec()) {
    return absl::InvalidArgumentError(
        "-to and -steps are options of convert only");
  }
  return absl::OkStatus();
}

absl::StatusOr<Command> ParseCommand(const std::vector<std::string>& words,
                                     const Options& defaults) {
  Command command;
  command.options = defaults;
  if (!words.empty()) command.info = FindCommand(words[0]);
  if (command.info == nullptr) {
    return absl::InvalidArgumentError("First string must be a valid command.");
  }
  for (size_t i = 1; i < words.size(); ++i) {
    if (WantsTopic(command, i + 1 == words.size())) {
      command.arguments.push_back(Unquote(words[i]));
      continue;
    }
    const std::string* value = i + 1 < words.size() ? &words[i + 1] : nullptr;
    const Option* option =
        words[i][0] == '-' ? FindOption(words[i].substr(1)) : nullptr;
    if (option == nullptr) {
      const bool plain = words[i][0] != '-';
      std::string argument = Unquote(words[i]);
      if (plain && TakesArgument(command, argument)) {
        command.arguments.push_back(std::move(argument));
        continue;
      }
      return InvalidOption(words[i], value == nullptr ? "" : *value);
    }
    // The value of a boolean may be missing.
    static const std::string kTrue = "true";
    if (option->kind == OptionKind::kBool &&
        (value == nullptr || (*value)[0] == '-')) {
      value = &kTrue;
    } else {
      ++i;
    }
    const absl::Status status = ParseOption(*option, value, command.options);
    if (!status.ok()) return status;
  }
  const absl::Status status = CheckCommand(command);
  if (!status.ok()) return status;
  return command;
}

std::string SpellCommand(const Command& command) {
  std::string line(command.info->name);
  const auto quoted = [](const std::string& word) {
    const bool plain =
        !word.empty() && word.find_first_of(" '\"#\t\n") == word.npos;
    const char quote = word.find('\'') == word.npos ? '\'' : '"';
    return plain ? word : fmt::format("{}{}{}", quote, word, quote);
  };
  const Options defaults;
  for (const Option& option : OptionTable()) {
    if (option.kind == OptionKind::kOutput ||
        option.kind == OptionKind::kColor || option.name == "agent") {
      continue;
    }
    const std::string value = option.format(command.options);
    if (value == option.format(defaults)) continue;
    line += fmt::format(" -{} {}", option.name, quoted(value));
  }
  for (const std::string& argument : command.arguments) {
    line += " " + quoted(argument);
  }
  return line;
}

std::string HelpText() {
  // The reference's text, to the byte, with the flag name that exists
  // (--op_log_path, where it said --run_log_path) left as it is there.
  return R"(See https://github.com/tensorflow/tensorflow/tree/master/tensorflow/core/profiler/README.md for profiler tutorial.
See https://github.com/tensorflow/tensorflow/tree/master/tensorflow/core/profiler/g3doc/command_line.md for command line tool tutorial.
profiler --profile_path=<ProfileProto binary file> # required

Or:

profiler --graph_path=<GraphDef proto file>  # Contains model graph info (no needed for eager execution)
         --run_meta_path=<RunMetadata proto file>  # Contains runtime info. Optional.
         --run_log_path=<OpLogProto proto file>  # Contains extra source code, flops, custom type info. Optional


To skip interactive mode, append one of the following commands:
  scope: Organize profiles based on name scopes.
  graph: Organize profiles based on graph node input/output.
  op: Organize profiles based on operation type.
  code: Organize profiles based on python codes (need op_log_path).
  advise: Auto-profile and advise. (experimental)
  set: Set options that will be default for follow up commands.
  help: Show helps.
)";
}

std::string MoreHelpText() {
  std::string text = "\nBeyond the reference:\n";
  for (const CommandInfo& command : kCommands) {
    if (command.id < CommandId::kHelp) continue;
    text += fmt::format("  {}{}{}: {}\n", command.name,
                        command.arguments.empty() ? "" : " ", command.arguments,
                        command.help);
  }
  return text +
         "  advise all: Run every checker, the worst findings first.\n"
         "TOPIC is a command, an option, a checker or a rule.\n";
}

}  // namespace tfprof
