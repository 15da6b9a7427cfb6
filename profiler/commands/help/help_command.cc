// The command `help`. Its texts are made in help.h.

#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/help/help.h"
#include "profiler/commands/show/word_answer.h"
#include "util/text/text_layout.h"

namespace tfprof::commands {
namespace {

// A row for each command.
tables::DataTable CommandsTable() {
  tables::DataTable table;
  table.kind = "help";
  table.columns = {{.name = "command", .title = "command"},
                   {.name = "arguments", .title = "arguments", .rank = 1},
                   {.name = "where", .title = "where", .rank = 2},
                   {.name = "options", .title = "options", .rank = 3},
                   {.name = "help", .title = "help", .prose = true}};
  table.num_rows = table.total_rows = CommandTable().size();
  table.cells = [](size_t row, std::vector<tables::DataCell>& cells) {
    const CommandInfo& command = *CommandTable()[row];
    std::vector<std::string_view> options;
    for (const options::Option& option : options::OptionTable()) {
      if (Uses(command, option)) options.push_back(option.name);
    }
    cells = {tables::TextCell(command.name),
             tables::TextCell(command.arguments),
             tables::TextCell(command.one_shot ? "program" : "shell"),
             tables::TextCell(fmt::format("{}", fmt::join(options, " "))),
             tables::TextCell(command.help)};
  };
  return table;
}

tables::Answer RunHelp(const Command& command, Workspace&) {
  tables::Answer answer;
  if (command.arguments.empty()) {
    answer = tables::TableAnswer(CommandsTable());
    SetText(HelpText(), answer);
    answer.forms.push_back(
        {"screen", [](const tables::TextLook& look, util::Sink& sink) {
           const std::string text = ShortHelpText();
           sink.Write(look.width > 0
                          ? util::FitLines(text, look.width, /*broken=*/true)
                          : text);
         }});
  } else {
    const std::string topic = command.arguments[0];
    const absl::StatusOr<std::string> text = HelpFor(topic);
    if (!text.ok()) return tables::ErrorAnswer(text.status());
    answer = WordAnswer("help", "text", *text, *text);
    answer.forms.push_back(
        {"screen", [topic](const tables::TextLook& look, util::Sink& sink) {
           const auto fitted = HelpFor(topic, look.width);
           if (fitted.ok()) sink.Write(*fitted);
         }});
  }
  answer.own_form = "screen";
  // An -output from `set` is for reports only, as in the reference.
  answer.ignores_output = true;
  return answer;
}

}  // namespace

extern constinit const CommandInfo kHelpCommand = {
    .name = "help",
    .arguments = "[TOPIC|all]",
    .max_arguments = 1,
    .inputs = CommandInfo::Inputs::kOptional,
    .help = "Explain a command, an option, a word of a table or a rule.",
    .answers = "What is a command, an option, a word of a table, a rule for?",
    .examples = {"help op", "help all"},
    .completes = options::Completes::kTopic,
    .options = options::kOutputOptions,
    .outputs = options::kAnswerOutput | options::kTraceOutput |
               options::kVerdictOutput,
    .run = RunHelp};

}  // namespace tfprof::commands
