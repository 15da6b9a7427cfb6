#include "profiler/commands/help.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "advisor/checker_help.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/flops_text.h"
#include "profiler/commands/man_page.h"
#include "profiler/options/options.h"
#include "profiler/commands/completion_files.h"
#include "util/edit_distance.h"
#include "util/text_layout.h"

namespace tfprof {
namespace {

constexpr CommandHelp kCommandHelp[] = {
    {"scope",
     "Which layers take the time, the memory, the parameters? Names are a tree "
     "of scopes, as paths are of folders; a row is the sum of what is below.",
     {"scope -max_depth 3 -order_by micros",
      "scope -account_type_regexes _trainable_variables -select params"}},
    {"graph",
     "What does an operation wait for? A row's children are the operations "
     "that it reads from. With -output timeline, when did each of them run?",
     {"graph -max_depth 4 -select micros,device",
      "graph -step -1 -output timeline:outfile=trace.json"}},
    {"code",
     "Which lines of Python made the expensive operations? Needs the call "
     "stacks of an op log or of a ProfileProto.",
     {"code -max_depth 5 -order_by micros",
      "code -select bytes -order_by bytes -max_depth 3"}},
    {"op",
     "Which kinds of operations are the most expensive, and how many of them "
     "are there?",
     {"op -order_by micros -select micros,occurrence -max_depth 9",
      "op -select micros,bytes,device -order_by bytes -min_bytes 1"}},
    {"advise",
     "What should I look at first? Checkers judge the profile by rules.",
     {"advise all", "advise -checkers OperationChecker"}},
    {"set",
     "Keeps options for the lines that follow. An empty line shows them.",
     {"set -order_by micros -max_depth 3",
      "set -select micros,bytes,occurrence"}},
    {"help",
     "What is a command, an option, a field, a rule for?",
     {"help op", "help -select"}},
    {"status",
     "What did I load, was all of it read, and is it the right profile?",
     {"status", "status  # for numbers of nodes, steps and devices"}},
    {"cd",
     "Where do I want to look? ls, top, show and peek then begin there; the "
     "reports do not. cd code: goes to the lines of Python, cd scope: back.",
     {"cd gradients", "cd code:"}},
    {"up", "Leaves a scope for the one around it.", {"up", "up  # as cd .."}},
    {"pwd", "In which scope am I?", {"pwd", "pwd  # the prompt says it too"}},
    {"ls",
     "What is in this scope, and which part of it is expensive?",
     {"ls -order_by micros", "ls /gradients"}},
    {"top",
     "Which operations are the most expensive here?",
     {"top 20", "top -order_by peak_bytes"}},
    {"show",
     "What is this operation: its inputs and who reads it, its attributes, "
     "when it ran, the memory it took, the Python that made it?",
     {"show resnet/conv1/Conv2D", "show resnet/conv1/Conv2D -output json"}},
    {"peek",
     "Where do this operation's inputs come from, where do its outputs go, how "
     "large are they, and how expensive are those around it?",
     {"peek resnet/conv1/Conv2D", "peek resnet/conv1/Conv2D -output csv"}},
    {"list",
     "Which lines of this file made expensive operations? Shows the source "
     "where it is there.",
     {"list make_profiles.py", "list make_profiles.py:192"}},
    {"steps",
     "Are some steps slower than others, and do devices wait?",
     {"steps", "steps -output csv"}},
    {"devices",
     "How busy is each device, and with how much memory?",
     {"devices", "devices -step 0"}},
    {"doctor",
     "Can I trust these numbers? Checks what was recorded, and what is "
     "missing.",
     {"doctor", "doctor -output json"}},
    {"save",
     "Keeps what several files held in one, which loads without them.",
     {"save profile.pb", "save 'my profile.pb'"}},
    {"convert",
     "Writes what is loaded, or some of its steps, in another form: one file, "
     "or a folder of graph, op log and run metadata.",
     {"convert -steps 0 -to profile:outfile=step0.pb",
      "convert -to files:outdir=sources"}},
    {"load",
     "Looks at other files. Options stay, and the scope where it exists.",
     {"load profile.pb", "load 'my profile.pb'"}},
    {"reload",
     "Looks at the same files, which have changed.",
     {"reload", "reload  # options stay"}},
    {"base",
     "What changed since another profile? Views then show the differences.",
     {"base", "base none"}},
    {"check",
     "Did the program become slower, or larger, than a rule allows? For CI.",
     {"check before.pb after.pb --fail-if 'total.micros > +5%'",
      "check before.pb after.pb --rules rules.txt"}},
    {"exit", "Ends the shell. History is kept.", {"exit", "exit  # or Ctrl-D"}},
    {"quit", "Ends the shell. History is kept.", {"quit", "quit  # or Ctrl-D"}},
};

// The checkers and rules that a topic means: "operation", "nhwc_on_gpu",
// "advise.nhwc_on_gpu".
std::vector<CheckerChoice> CheckersOf(std::string_view topic) {
  constexpr std::string_view kPrefix = "advise.";
  if (topic.starts_with(kPrefix)) topic.remove_prefix(kPrefix.size());
  return FindCheckers(topic, Checkers());
}

// `left`, and behind it `text` in a column of its own.
void AppendEntry(std::string_view left, std::string_view text, size_t column,
                 std::string* out) {
  AppendPadded(left, column, out);
  if (Columns(left) >= column) {
    *out += '\n';
    out->append(column, ' ');
  }
  AppendWrapped(text, column, out);
}

void AppendParagraph(std::string_view text, std::string* out) {
  *out += "  ";
  AppendWrapped(text, 2, out);
}

std::string HelpForCommand(const CommandInfo& command) {
  constexpr size_t kColumn = 34;
  const Options defaults;
  std::string options;
  for (const Option& option : OptionTable()) {
    if (!Uses(command, option)) continue;
    // Checkers and their options follow in a list of their own.
    const std::string value = option.kind == OptionKind::kCheckers ||
                                      option.kind == OptionKind::kCheckerValues
                                  ? std::string(option.value_name)
                                  : option.format(defaults);
    AppendEntry(fmt::format("  -{} {}", option.name, value), option.help,
                kColumn, &options);
  }
  std::string text = command.name.data();
  if (!command.arguments.empty()) text += fmt::format(" {}", command.arguments);
  text += options.empty() ? "\n" : " [-option value…]\n";
  AppendParagraph(command.help, &text);
  const CommandHelp* more = FindCommandHelp(command.name);
  if (more != nullptr) AppendParagraph(more->answers, &text);
  if (!options.empty()) {
    text += "\nOptions, with the values they have unless you set others:\n";
    text += options;
  }
  if (more != nullptr) {
    text += "\nExamples:\n";
    for (const std::string_view example : more->examples) {
      text += fmt::format("  {}\n", example);
    }
  }
  if (command.id == CommandId::kAdvise) {
    text += fmt::format("\n{}", CheckersHelp(Checkers()));
  }
  return text;
}

std::string HelpForOption(const Option& option) {
  std::string text = fmt::format("-{} {}\n", option.name, option.value_name);
  AppendParagraph(option.help, &text);
  const std::vector<std::string> choices = OptionChoices(option);
  const bool explained = std::any_of(
      choices.begin(), choices.end(),
      [&](const std::string& c) { return !ChoiceHelp(option, c).empty(); });
  if (explained) {
    size_t widest = 0;
    for (const std::string& c : choices) widest = std::max(widest, c.size());
    text += IsList(option) ? "  Any of:\n" : "  One of:\n";
    for (const std::string& choice : choices) {
      AppendEntry(fmt::format("    {}", choice), ChoiceHelp(option, choice),
                  widest + 6, &text);
    }
  } else if (!choices.empty()) {
    AppendParagraph(fmt::format("{}: {}",
                                option.kind == OptionKind::kCheckerValues
                                    ? "The options and their defaults"
                                    : "One of",
                                fmt::join(choices, ", ")),
                    &text);
  }
  std::vector<std::string_view> commands;
  for (const CommandInfo& command : CommandTable()) {
    if (Uses(command, option)) commands.push_back(command.name);
  }
  const std::string value = option.format(Options());
  text +=
      fmt::format("  Default: {}\n  Used by: {}\n",
                  value.empty() ? "none" : value, fmt::join(commands, ", "));
  if (option.kind == OptionKind::kFlops) text += FormulasText();
  return text;
}

// The options that have `word` among their own words: the fields, mostly.
std::string HelpForChoice(std::string_view word) {
  std::string text;
  std::string_view help;
  std::vector<std::string> options;
  for (const Option& option : OptionTable()) {
    const std::string_view meaning = ChoiceHelp(option, word);
    const std::vector<std::string> choices = OptionChoices(option);
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
  return text;
}

// All that there is help on, for a hint.
std::vector<std::string> Topics() {
  std::vector<std::string> topics;
  for (const CommandInfo& c : CommandTable()) topics.emplace_back(c.name);
  for (const Option& option : OptionTable()) {
    topics.emplace_back(option.name);
    if (option.kind != OptionKind::kSelect) continue;
    for (std::string& field : OptionChoices(option)) {
      topics.push_back(std::move(field));
    }
  }
  for (const Checker* checker : Checkers()) {
    topics.emplace_back(checker->name);
    for (const Rule& rule : checker->rules) topics.emplace_back(rule.id);
  }
  return topics;
}

}  // namespace

const CommandHelp* FindCommandHelp(std::string_view command) {
  for (const CommandHelp& help : kCommandHelp) {
    if (help.command == command) return &help;
  }
  return nullptr;
}

absl::StatusOr<std::string> HelpFor(std::string_view topic, size_t width) {
  if (topic == "options.md") return OptionsMarkdown();
  if (topic == "advise.md") return CheckersMarkdown(Checkers());
  if (topic == "tfprof.1") return ManPage();
  if (topic == "completion.bash") return BashCompletion();
  if (topic == "completion.zsh") return ZshCompletion();
  if (topic == "completion.fish") return FishCompletion();
  const auto fitted = [width](std::string text) {
    return width > 0 ? FitLines(text, width, /*broken=*/true) : text;
  };
  if (const CommandInfo* command = FindCommand(topic)) {
    return fitted(HelpForCommand(*command));
  }
  std::string_view name = topic;
  while (!name.empty() && name.front() == '-') name.remove_prefix(1);
  if (const Option* option = FindOption(name))
    return fitted(HelpForOption(*option));
  std::string text;
  for (const CheckerChoice& choice : CheckersOf(topic)) {
    text += CheckerHelp(choice);
  }
  if (text.empty()) text = HelpForChoice(topic);
  if (!text.empty()) return fitted(std::move(text));
  const std::string near = DidYouMean(Nearest(name, Topics()));
  return absl::NotFoundError(fmt::format(
      "no help on '{}'{}{}", topic, near.empty() ? "" : "; ",
      near.empty() ? "; topics are the commands, the options, the fields, and "
                     "the checkers and rules that help advise lists"
                   : near));
}

}  // namespace tfprof
