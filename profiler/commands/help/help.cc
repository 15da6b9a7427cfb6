#include "profiler/commands/help/help.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "advisor/checker_help.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/help/commands_json.h"
#include "profiler/commands/help/completion_files.h"
#include "profiler/commands/help/flops_text.h"
#include "profiler/commands/help/glossary.h"
#include "profiler/commands/help/man_page.h"
#include "profiler/commands/help/usage.h"
#include "profiler/commands/meaning.h"
#include "profiler/options/options.h"
#include "util/text/edit_distance.h"
#include "util/text/text_layout.h"

namespace tfprof::commands {
namespace {

// The checkers and rules that a topic means: "operation", "nhwc_on_gpu",
// "advise.nhwc_on_gpu".
std::vector<advisor::CheckerChoice> CheckersOf(std::string_view topic) {
  constexpr std::string_view kPrefix = "advise.";
  if (topic.starts_with(kPrefix)) topic.remove_prefix(kPrefix.size());
  return advisor::FindCheckers(topic, advisor::Checkers());
}

// Appends `left`, and after it `text` in a column of its own.
void AppendEntry(std::string_view left, std::string_view text, size_t column,
                 std::string* out) {
  util::AppendPadded(left, column, out);
  if (util::Columns(left) >= column) {
    *out += '\n';
    out->append(column, ' ');
  }
  util::AppendWrapped(text, column, out);
}

void AppendParagraph(std::string_view text, std::string* out) {
  *out += "  ";
  util::AppendWrapped(text, 2, out);
}

std::string HelpForCommand(const CommandInfo& command) {
  constexpr size_t kColumn = 34;
  const options::Options defaults;
  std::string options;
  for (const options::Option& option : options::OptionTable()) {
    if (!Uses(command, option)) continue;
    // Checkers and their options follow in a list of their own.
    const std::string value = (option.group & options::kCheckerGroups) != 0
                                  ? std::string(option.value_name)
                                  : option.format(defaults);
    AppendEntry(fmt::format("  -{} {}", option.name, value), option.help,
                kColumn, &options);
  }
  std::string text = command.name.data();
  if (!command.arguments.empty()) text += fmt::format(" {}", command.arguments);
  text += options.empty() ? "\n" : " [-option value…]\n";
  AppendParagraph(command.help, &text);
  AppendParagraph(command.answers, &text);
  if (!options.empty()) {
    text += "\nOptions, with the values they have unless you set others:\n";
    text += options;
  }
  text += "\nExamples:\n";
  for (const std::string_view example : command.examples) {
    text += fmt::format("  {}\n", example);
  }
  if (command.options & options::kAdviceOptions && command.one_shot) {
    text += fmt::format("\n{}", advisor::CheckersHelp(advisor::Checkers()));
  }
  return text;
}

std::string HelpForOption(const options::Option& option) {
  std::string text = fmt::format("-{} {}\n", option.name, option.value_name);
  AppendParagraph(option.help, &text);
  const std::vector<std::string> choices = options::OptionChoices(option);
  const bool explained =
      std::any_of(choices.begin(), choices.end(), [&](const std::string& c) {
        return !options::ChoiceHelp(option, c).empty();
      });
  if (explained) {
    size_t widest = 0;
    for (const std::string& c : choices) widest = std::max(widest, c.size());
    text += options::IsList(option) ? "  Any of:\n" : "  One of:\n";
    for (const std::string& choice : choices) {
      AppendEntry(fmt::format("    {}", choice),
                  options::ChoiceHelp(option, choice), widest + 6, &text);
    }
  } else if (!choices.empty()) {
    AppendParagraph(fmt::format("{}: {}",
                                option.group == options::kThresholdOptions
                                    ? "The options and their defaults"
                                    : "One of",
                                fmt::join(choices, ", ")),
                    &text);
  }
  std::vector<std::string_view> commands;
  for (const CommandInfo* command : CommandTable()) {
    if (Uses(*command, option)) commands.push_back(command->name);
  }
  const std::string value = option.format(options::Options());
  text +=
      fmt::format("  Default: {}\n  Used by: {}\n",
                  value.empty() ? "none" : value, fmt::join(commands, ", "));
  if (option.group == options::kFlopsOption) text += FormulasText();
  return text;
}

// Help on a choice of options, which is a field mostly. A statistic may be
// given by its word or by its name.
std::string HelpForChoice(std::string_view word) {
  const accounting::Statistic* statistic = accounting::FindStatistic(word);
  if (statistic != nullptr) word = statistic->word;
  std::string text;
  std::string_view help;
  std::vector<std::string> options;
  for (const options::Option& option : options::OptionTable()) {
    const std::string_view meaning = options::ChoiceHelp(option, word);
    const std::vector<std::string> choices = options::OptionChoices(option);
    if (meaning.empty() ||
        std::find(choices.begin(), choices.end(), word) == choices.end()) {
      continue;
    }
    help = meaning;
    options.push_back(fmt::format("-{} {}", option.name, word));
  }
  if (options.empty()) return "";
  text = fmt::format("{}\n", fmt::join(options, ", "));
  AppendParagraph(help, &text);
  if (statistic != nullptr) {
    AppendParagraph(
        fmt::format(
            "In data and in rules of check it is called {} (unit: {}). {}",
            statistic->name, util::UnitName(statistic->unit),
            accounting::SummingText(statistic->summing)),
        &text);
  }
  return text;
}

// All topics of help, for a hint.
std::vector<std::string> Topics() {
  std::vector<std::string> topics = CommandNames();
  for (const options::Option& option : options::OptionTable()) {
    topics.emplace_back(option.name);
    if (option.name != "select") continue;
    for (std::string& field : options::OptionChoices(option)) {
      topics.push_back(std::move(field));
    }
  }
  for (const accounting::Statistic& s : accounting::kStatistics) {
    if (s.name != s.word) topics.emplace_back(s.name);
  }
  for (const Term& term : Glossary()) topics.emplace_back(term.word);
  for (const advisor::Checker* checker : advisor::Checkers()) {
    topics.emplace_back(checker->name);
    for (const advisor::Rule& rule : checker->rules)
      topics.emplace_back(rule.id);
  }
  return topics;
}

}  // namespace

std::string HelpText() {
  // The reference's text, byte for byte. It says --run_log_path, though the
  // flag is --op_log_path.
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

std::string ShortHelpText() {
  return R"(  overview             what is in the profile, and the worst problem
  advise               all problems, the worst first, and what to do
  explain [step N]     why a step, or an operation, takes so long
  top [N]              the most expensive operations
  op [NAME]            the time by type of operation
  scope, graph, code   the same by layer, by input, by line of Python
  kernels [NAME]       what ran on the accelerators
  steps, devices       a line for each step, for each device
  lanes, memory        what devices did, and memory in use, over time
  flame, tui           a flame graph; a browser on the full screen
  critical_path        what made the step as long as it was
  show NODE            all about an operation; part of a name lists what matches
  ls, cd, up, pwd      go through the scopes as through folders
  timeline t.json      a trace for ui.perfetto.dev; timeline t.html is a page
  diff FILE            what changed since another profile
  load, save, status   other files, and what was loaded
  set, unset, exit     keep options for the lines that follow; leave (or Ctrl-D)

Most take -step N (or slowest), -limit N, -order_by FIELD, -select FIELD,FIELD
and -output json (csv, markdown, …). LINE | PROGRAM and LINE > FILE send an
answer elsewhere.
help COMMAND explains one, and help all lists the rest.
)";
}

absl::StatusOr<std::string> HelpFor(std::string_view topic, size_t width) {
  if (topic == "options.md") return options::OptionsMarkdown();
  if (topic == "advise.md")
    return advisor::CheckersMarkdown(advisor::Checkers());
  if (topic == "commands.json") return CommandsJson();
  if (topic == kAllTopics) {
    return width > 0 ? util::FitLines(UsageText(), width, /*broken=*/true)
                     : UsageText();
  }
  if (topic == "tfprof.1") return ManPage();
  if (topic == "completion.bash") return BashCompletion();
  if (topic == "completion.zsh") return ZshCompletion();
  if (topic == "completion.fish") return FishCompletion();
  const auto fitted = [width](const std::string& text) {
    return width > 0 ? util::FitLines(text, width, /*broken=*/true) : text;
  };
  if (const CommandInfo* command = FindCommand(topic)) {
    return fitted(HelpForCommand(*command));
  }
  std::string_view name = topic;
  while (!name.empty() && name.front() == '-') name.remove_prefix(1);
  if (const options::Option* option = options::FindExactOption(name))
    return fitted(HelpForOption(*option));
  // A field and a rule may have the same name: float_ops, for example.
  std::string text = HelpForChoice(topic);
  for (const advisor::CheckerChoice& choice : CheckersOf(topic)) {
    text += advisor::CheckerHelp(choice);
  }
  if (const Term* term = FindTerm(topic); term != nullptr && text.empty()) {
    text = fmt::format("{}\n", term->word);
    AppendParagraph(term->meaning, &text);
  }
  if (!text.empty()) return fitted(text);
  // Words of other programs.
  if (const options::Option* option = options::FindOption(name))
    return fitted(HelpForOption(*option));
  if (const CommandInfo* command = CommandMeantBy(topic))
    return fitted(HelpForCommand(*command));
  const std::string near = util::NearestHint(name, Topics());
  return absl::NotFoundError(fmt::format(
      "no help on '{}'{}", topic,
      near.empty() ? "; topics are the commands, the options, the fields, the "
                     "words of tables, and the checkers and rules that help "
                     "advise lists"
                   : near));
}

}  // namespace tfprof::commands
