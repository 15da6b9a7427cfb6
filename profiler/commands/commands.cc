#include "profiler/commands/commands.h"

#include <utility>

#include "fmt/format.h"
#include "tables/writers/answer_writer.h"
#include "timeline/communication.h"
#include "util/text/safe_text.h"

namespace tfprof {
namespace {

// Whether the option says where an answer goes or how it looks, and not which
// answer it is.
bool IsAboutOutput(const Option& option) {
  return option.group == kOutputOptions || option.group == kColorOption ||
         option.group == kBudgetOption;
}

// `word` as it is written in a line.
std::string Quoted(const std::string& word) {
  const bool plain = !word.empty() && word[0] != '|' && word[0] != '>' &&
                     word.find_first_of(" '\"#\t\n") == word.npos;
  const char quote = word.find('\'') == word.npos ? '\'' : '"';
  return plain ? word : fmt::format("{}{}{}", quote, word, quote);
}

bool IsGiven(const Option& option, const Options& options) {
  static const Options kDefaults;
  return option.format(options) != option.format(kDefaults);
}

}  // namespace

const CommandInfo* FindCommand(std::string_view name) {
  if (name == "?") name = "help";
  for (const CommandInfo* command : CommandTable()) {
    if (command->name == name) return command;
  }
  return nullptr;
}

std::vector<std::string> CommandNames() {
  std::vector<std::string> names;
  for (const CommandInfo* command : CommandTable()) {
    names.emplace_back(command->name);
  }
  return names;
}

bool Uses(const CommandInfo& command, const Option& option) {
  const unsigned group =
      option.group == kBudgetOption ? kOutputOptions : option.group;
  return command.options & group;
}

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

absl::Status CheckCommand(const Command& command) {
  const CommandInfo* info = command.info;
  if (info != nullptr) {
    const Option* needed = FindOption(info->needs_option);
    // The message of `save` goes where -output says.
    const bool is_message =
        command.options.output.type == OutputSpec::Type::kProto &&
        (info->outputs & kProtoOutput) != 0;
    const size_t min_arguments = is_message ? 0 : info->min_arguments;
    if (command.arguments.size() < min_arguments ||
        (needed != nullptr && !IsGiven(*needed, command.options))) {
      return absl::InvalidArgumentError(fmt::format(
          "{} needs {}: {}", info->name, info->arguments, info->help));
    }
  }
  for (const Option& option : OptionTable()) {
    if (!(option.group & kOwnOptions) || !IsGiven(option, command.options) ||
        (info != nullptr && Uses(*info, option))) {
      continue;
    }
    for (const CommandInfo* owner : CommandTable()) {
      if (!Uses(*owner, option)) continue;
      return absl::InvalidArgumentError(
          fmt::format("-{} is an option of {} only: help {} explains",
                      option.name, owner->name, owner->name));
    }
  }
  return absl::OkStatus();
}

std::string SpellCommand(const Command& command) {
  std::string line(command.info->name);
  for (const Option& option : OptionTable()) {
    if (IsAboutOutput(option) || !IsGiven(option, command.options)) continue;
    const std::vector<std::string> values =
        option.name == "fail-if"
            ? command.options.check.rules
            : std::vector<std::string>{option.format(command.options)};
    for (const std::string& value : values) {
      line += fmt::format(" -{} {}", option.name, Quoted(value));
    }
  }
  for (const std::string& argument : command.arguments) {
    line += " " + Quoted(argument);
  }
  return line;
}

std::vector<std::string> NarrowingOptions(const CommandInfo& command) {
  // A view has many; these are the most useful ones.
  if (command.view.has_value()) {
    return {"select", "max_depth", "order_by", "show_name_regexes"};
  }
  std::vector<std::string> names;
  for (const Option& option : OptionTable()) {
    if (Uses(command, option) && !IsAboutOutput(option)) {
      names.emplace_back(option.name);
    }
  }
  return names;
}

bool IsForReading(const Options& options) {
  const OutputInfo& output = FindOutput(options.output.type);
  if (FindAnswerFormat(output.name) != nullptr) return output.name == "table";
  return !options.agent || output.type != OutputSpec::Type::kStdout;
}

IntactFiles::IntactFiles(const Command& command, const Workspace& workspace)
    : all_(command.info->needs_files) {
  // Commands of the shell only open profiles or keep options.
  if (command.info->inputs != CommandInfo::Inputs::kProfile ||
      !command.info->one_shot) {
    return;
  }
  profiles_.push_back(workspace.opened);
  if (workspace.base != nullptr) profiles_.push_back(workspace.base->opened);
  for (const auto& profile : profiles_) {
    if (profile != nullptr) profile->kept.Begin();
  }
}

absl::Status IntactFiles::operator()() const {
  for (const auto& profile : profiles_) {
    const absl::Status status =
        profile != nullptr ? profile->kept.Check(all_) : absl::OkStatus();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

Answer Run(const Command& command, Workspace& workspace) {
  const CommandInfo& info = *command.info;
  if (info.run == nullptr) {
    return ErrorAnswer(absl::FailedPreconditionError(
        fmt::format("{} is a command of the program only: tfprof {}", info.name,
                    info.examples[0])));
  }
  if (info.options & kOutputOptions) {
    const absl::Status known =
        CheckOutput(command.options.output, info.outputs, info.name);
    if (!known.ok()) return ErrorAnswer(known);
  }
  const IntactFiles intact(command, workspace);
  if (info.needs_files) {
    const absl::Status before = intact();
    if (!before.ok()) return ErrorAnswer(before);
  }
  const RegexPatterns& communication = command.options.communication;
  if (workspace.opened != nullptr) {
    UseCommunication(workspace.views(), communication);
  }
  if (workspace.base != nullptr) {
    UseCommunication(workspace.base->opened->views, communication);
  }
  const absl::Status step =
      info.one_shot && (info.options & kStepOption) != 0
          ? CheckStep(workspace.profile(), command.options.view.step)
          : absl::OkStatus();
  Answer answer = step.ok() ? info.run(command, workspace) : ErrorAnswer(step);
  const absl::Status after = intact();
  if (!after.ok()) return ErrorAnswer(after);
  if (info.ignores_base && workspace.base != nullptr) {
    answer.notes.push_back(fmt::format(
        "Note: {} is about this profile alone, not compared with the base {}; "
        "scope, graph, code, op and steps are",
        info.name, SafeText(workspace.base->name)));
  }
  if (!answer.data.kind.empty()) AddCommand(SpellCommand(command), &answer);
  return answer;
}

absl::Status NegativeVerdict(std::string_view summary) {
  return absl::AbortedError(std::string(summary));
}

bool IsNegativeVerdict(const absl::Status& status) {
  return absl::IsAborted(status);
}

}  // namespace tfprof
