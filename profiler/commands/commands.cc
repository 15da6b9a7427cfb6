#include "profiler/commands/commands.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "profiler/commands/shareable.h"
#include "tables/writers/answer_writer.h"
#include "timeline/ranks/communication.h"
#include "util/text/safe_text.h"

namespace tfprof::commands {
namespace {

// Whether the option says where an answer goes or how it looks, and not which
// answer it is.
bool IsAboutOutput(const options::Option& option) {
  return option.group == options::kOutputOptions ||
         option.group == options::kColorOption ||
         option.group == options::kBudgetOption;
}

// `word` as it is written in a line.
std::string Quoted(const std::string& word) {
  const bool plain = !word.empty() && word[0] != '|' && word[0] != '>' &&
                     word.find_first_of(" '\"#\t\n") == word.npos;
  const char quote = word.find('\'') == word.npos ? '\'' : '"';
  return plain ? word : fmt::format("{}{}{}", quote, word, quote);
}

// Leaves the first rows of each table.
void LimitRows(int64_t limit, tables::Answer& answer) {
  for (auto& [title, table] : answer.data.parts) {
    table.num_rows = std::min(table.num_rows, static_cast<size_t>(limit));
  }
}

bool IsGiven(const options::Option& option, const options::Options& options) {
  static const options::Options kDefaults;
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

bool Uses(const CommandInfo& command, const options::Option& option) {
  const bool of_answers = option.group == options::kBudgetOption ||
                          option.group == options::kFormOptions;
  return command.options &
         (of_answers ? options::kOutputOptions : option.group);
}

bool TakesArgument(const Command& command, std::string_view word) {
  // The reference's views take no words.
  if (command.info->view.has_value() && command.options.InReferenceForm()) {
    return false;
  }
  return command.arguments.size() < command.info->max_arguments &&
         (command.info->only_argument.empty() ||
          command.info->only_argument == word);
}

bool WantsTopic(const Command& command, bool is_last) {
  return is_last && command.info != nullptr &&
         command.info->completes == options::Completes::kTopic &&
         command.arguments.size() < command.info->max_arguments;
}

absl::Status CheckCommand(const Command& command) {
  const CommandInfo* info = command.info;
  if (info != nullptr) {
    const options::Option* needed = options::FindOption(info->needs_option);
    // The message of `save` goes where -output says.
    const bool is_message =
        command.options.output.type == options::OutputSpec::Type::kProto &&
        (info->outputs & options::kProtoOutput) != 0;
    const size_t min_arguments = is_message ? 0 : info->min_arguments;
    if (command.arguments.size() < min_arguments ||
        (needed != nullptr && !IsGiven(*needed, command.options))) {
      return absl::InvalidArgumentError(fmt::format(
          "{} needs {}: {}", info->name, info->arguments, info->help));
    }
  }
  for (const options::Option& option : options::OptionTable()) {
    if (!(option.group & options::kOwnOptions) ||
        !IsGiven(option, command.options) ||
        (info != nullptr && Uses(*info, option))) {
      continue;
    }
    std::vector<std::string_view> owners;
    for (const CommandInfo* owner : CommandTable()) {
      if (Uses(*owner, option)) owners.push_back(owner->name);
    }
    if (owners.empty()) continue;
    return absl::InvalidArgumentError(
        fmt::format("-{} is an option of {} only: help {} explains",
                    option.name, fmt::join(owners, " and "), owners[0]));
  }
  return absl::OkStatus();
}

void NoteUnread(std::span<const options::Option* const> given,
                Command& command) {
  constexpr unsigned kChoosing = options::kRowOptions | options::kNameOptions |
                                 options::kStepOption | options::kOrderOption |
                                 options::kTypesOption;
  if (command.info == nullptr || command.info->options == 0 ||
      command.options.InReferenceForm()) {
    return;
  }
  for (const options::Option* option : given) {
    // Comparisons of any command read it.
    if ((option->group & kChoosing) == 0 || option->name == "select" ||
        Uses(*command.info, *option) || !IsGiven(*option, command.options)) {
      continue;
    }
    std::string text = fmt::format("Note: {} does not use -{}",
                                   command.info->name, option->name);
    if (option->group == options::kStepOption) {
      text +=
          fmt::format("; steps, explain, devices and op do: explain step {}",
                      option->format(command.options));
    } else if (option->group == options::kNameOptions &&
               command.info->filters) {
      text += fmt::format("; {} NAME shows the rows with NAME in their names",
                          command.info->name);
    } else {
      std::vector<std::string_view> owners;
      for (const CommandInfo* owner : CommandTable()) {
        if (Uses(*owner, *option) && owner->name != "set") {
          owners.push_back(owner->name);
        }
      }
      text += fmt::format("; {} do", fmt::join(owners, ", "));
    }
    command.notes.push_back(std::move(text));
  }
}

std::string SpellCommand(const Command& command) {
  std::string line(command.info->name);
  for (const options::Option& option : options::OptionTable()) {
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

std::string WholeAsData(Command command) {
  command.options.limit.reset();
  return SpellCommand(command) + " -output json";
}

std::vector<std::string> NarrowingOptions(const CommandInfo& command) {
  // A view has many; these are the most useful ones.
  if (command.view.has_value()) {
    return {"select", "max_depth", "order_by", "show_name_regexes"};
  }
  std::vector<std::string> names;
  for (const options::Option& option : options::OptionTable()) {
    if (Uses(command, option) && !IsAboutOutput(option) &&
        option.group != options::kFormOptions) {
      names.emplace_back(option.name);
    }
  }
  return names;
}

bool IsForReading(const options::Options& options) {
  const options::OutputInfo& output = options::FindOutput(options.output.type);
  if (tables::FindAnswerFormat(output.name) != nullptr)
    return output.name == "table";
  return !options.agent || output.type != options::OutputSpec::Type::kStdout;
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
    absl::Status status =
        profile != nullptr ? profile->kept.Check(all_) : absl::OkStatus();
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

tables::Answer Run(const Command& asked, Workspace& workspace) {
  const CommandInfo& info = *asked.info;
  Command command = asked;
  if (info.run == nullptr) {
    return tables::ErrorAnswer(absl::FailedPreconditionError(
        fmt::format("{} is a command of the program only: tfprof {}", info.name,
                    info.examples[0])));
  }
  if (info.options & options::kOutputOptions) {
    const absl::Status known =
        options::CheckOutput(command.options.output, info.outputs, info.name);
    if (!known.ok()) return tables::ErrorAnswer(known);
  }
  const IntactFiles intact(asked, workspace);
  if (info.needs_files) {
    const absl::Status before = intact();
    if (!before.ok()) return tables::ErrorAnswer(before);
  }
  const views::RegexPatterns& communication = command.options.communication;
  if (workspace.opened != nullptr) {
    workspace.views().ForgetPartial();
    timeline::UseCommunication(workspace.views(), communication);
  }
  if (workspace.base != nullptr) {
    workspace.base->opened->views.ForgetPartial();
    timeline::UseCommunication(workspace.base->opened->views, communication);
  }
  absl::Status step;
  if (info.one_shot && (info.options & options::kStepOption) != 0) {
    step = ResolveStep(workspace, command.options);
    if (step.ok()) {
      step = CheckStep(workspace.profile(), command.options.view.step);
    }
  }
  // Keeps the profile that the answer points into.
  std::shared_ptr<OpenProfile> shared;
  if (step.ok() && workspace.opened != nullptr && IsForOthers(command)) {
    shared = Shareable(workspace.opened, workspace.work);
    std::swap(shared, workspace.opened);
    timeline::UseCommunication(workspace.views(), communication);
  }
  tables::Answer answer =
      step.ok() ? info.run(command, workspace) : tables::ErrorAnswer(step);
  if (shared != nullptr) {
    std::swap(shared, workspace.opened);
    answer.owned.push_back(std::move(shared));
  }
  answer.notes.insert(answer.notes.begin(), command.notes.begin(),
                      command.notes.end());
  if (command.options.limit) LimitRows(*command.options.limit, answer);
  const absl::Status after = intact();
  if (!after.ok()) return tables::ErrorAnswer(after);
  if (info.ignores_base && workspace.base != nullptr) {
    answer.notes.push_back(fmt::format(
        "Note: {} is about this profile alone, not compared with the base {}; "
        "diff, overview, scope, graph, code, op, ls, top and steps are",
        info.name, util::SafeText(workspace.base->name)));
  }
  if (!answer.data.kind.empty())
    tables::AddCommand(SpellCommand(command), &answer);
  return answer;
}

absl::Status NegativeVerdict(std::string_view summary) {
  return absl::AbortedError(std::string(summary));
}

bool IsNegativeVerdict(const absl::Status& status) {
  return absl::IsAborted(status);
}

}  // namespace tfprof::commands
