#include "profiler/commands/advise.h"

#include <algorithm>
#include <string>

#include "advisor/advice.h"
#include "advisor/advice_data.h"
#include "advisor/advice_text.h"
#include "fmt/format.h"
#include "profiler/shell/data_output.h"
#include "util/sink.h"

namespace tfprof {
namespace {

using Type = OutputSpec::Type;

// Says what the checkers that did not run would have found.
void TellOfMore(CheckerRegistry registry, const CheckerValues& values,
                Views& views, Ui& ui) {
  const Advice more = RunCheckers(views, FurtherCheckers(registry), values);
  size_t findings = 0, checkers = 0;
  for (const Advice::Section& section : more.sections) {
    size_t of_checker = 0;
    for (const Finding& finding : section.findings) {
      if (finding.severity > Finding::Severity::kInfo) ++of_checker;
    }
    findings += of_checker;
    if (of_checker > 0) ++checkers;
  }
  if (findings == 0) return;
  ui.Error(fmt::format("{} of {}: advise all\n",
                       Counted(findings, "more finding"),
                       Counted(checkers, "checker")));
}

}  // namespace

absl::Status RunAdvise(CheckerRegistry registry, const Command& command,
                       Views& views, Ui& ui) {
  const AdviceOptions& options = command.options.advice;
  const OutputSpec& output = command.options.output;
  const bool all = !command.arguments.empty();
  const auto format = DataFormatOf(output.type);
  const bool for_agent = command.options.agent && output.type == Type::kStdout;
  const bool as_data = format.has_value() || for_agent;
  const bool plain = !all && !as_data && options.checkers.empty() &&
                     options.values.empty() && output.type != Type::kText &&
                     output.type != Type::kJunit;
  const absl::Status known = CheckOutput(command);
  if (!plain && !known.ok()) return known;
  const Advice advice = RunCheckers(views,
                                    !options.checkers.empty() ? options.checkers
                                    : all ? AllCheckers(registry)
                                          : ReferenceCheckers(registry),
                                    options.values);
  for (const Advice::Section& section : advice.sections) {
    for (const std::string& note : section.notes) ui.Error(note + "\n");
  }
  if (for_agent || (format.has_value() && output.type != Type::kJson &&
                    output.type != Type::kTable)) {
    DataTable table = AdviceData(advice);
    AddCommand(command, &table.facts);
    return WriteTable(table, command, ui);
  }
  const Screen screen = ui.screen();
  const bool seen = output.type == Type::kStdout && screen.terminal;
  AdviceLook look;
  if (seen) {
    look.columns = screen.width;
    look.color = Colored(command.options, screen);
  }
  const std::string text = output.type == Type::kJson    ? AdviceJson(advice)
                           : output.type == Type::kTable ? AdviceTable(advice)
                           : all  ? AdviceText(advice, look)
                           : seen ? AdviceScreen(advice, look)
                                  : AdviceReport(advice);
  const bool to_file = !plain && output.type != Type::kStdout &&
                       output.type != Type::kNone && !output.outfile().empty();
  if (to_file) {
    const absl::Status written = WriteFile(output.outfile(), text);
    if (!written.ok()) return written;
  } else if (seen) {
    const auto lines =
        static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
    ui.Show(screen.pager && lines + 1 > screen.height,
            [&](Sink& sink) { sink.Write(text); });
  } else if (plain || output.type != Type::kNone) {
    ui.out().Write(text);
    ui.Flush();
  }
  if (!all && options.checkers.empty()) {
    TellOfMore(registry, options.values, views, ui);
  }
  return absl::OkStatus();
}

}  // namespace tfprof
