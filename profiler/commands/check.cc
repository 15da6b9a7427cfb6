#include "profiler/commands/check.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "compare/check.h"
#include "compare/check_text.h"
#include "compare/junit.h"
#include "compare/rule.h"
#include "fmt/format.h"
#include "loaders/input_file.h"
#include "profiler/commands/base.h"
#include "profiler/shell/data_output.h"
#include "tables/data_writers.h"
#include "util/sink.h"

namespace tfprof {
namespace {

using Type = OutputSpec::Type;

absl::StatusOr<std::vector<CheckRule>> ParseRules(const CheckOptions& options) {
  std::vector<CheckRule> rules;
  for (const std::string& text : options.rules) {
    absl::StatusOr<CheckRule> rule = ParseCheckRule(text);
    if (!rule.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("--fail-if: {}", std::string(rule.status().message())));
    }
    rules.push_back(*std::move(rule));
  }
  if (!options.rules_file.empty()) {
    const auto file = InputFile::Open(options.rules_file);
    if (!file.ok()) return file.status();
    absl::StatusOr<std::vector<CheckRule>> more =
        ParseCheckRules((*file)->bytes(), options.rules_file);
    if (!more.ok()) return more.status();
    if (more->empty()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: no rule in it", options.rules_file));
    }
    for (CheckRule& rule : *more) rules.push_back(std::move(rule));
  }
  return rules.empty() ? DefaultCheckRules() : rules;
}

absl::StatusOr<std::unique_ptr<Base>> LoadWhole(const std::string& files,
                                                size_t max_memory, Ui& ui) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= files.size();) {
    const size_t end = std::min(files.find(',', begin), files.size());
    if (end > begin) names.push_back(files.substr(begin, end - begin));
    begin = end + 1;
  }
  absl::StatusOr<std::unique_ptr<Base>> base =
      Base::Load(std::move(names), max_memory, ui);
  if (base.ok() && (*base)->damaged()) {
    return absl::DataLossError(fmt::format(
        "{} is damaged; what is left of it is not compared", files));
  }
  return base;
}

// The line of the program that gives the report as something else.
std::string Spelled(const Command& command, const CheckOptions& options) {
  std::string line = SpellCommand(command);
  for (const std::string& rule : options.rules) {
    line += fmt::format(" --fail-if '{}'", rule);
  }
  if (!options.rules_file.empty()) {
    line += fmt::format(" --rules '{}'", options.rules_file);
  }
  if (options.noise > 0)
    line += fmt::format(" --noise {}", 100 * options.noise);
  return line;
}

std::string ForAgent(const CheckReport& report, const std::string& line) {
  MarkdownLimits limits = AgentLimits("check", line);
  // Of the three tables, two are short.
  return fmt::format("{}\nFor more: {} -output json.\n",
                     CheckMarkdown(report, limits), line);
}

std::string Report(const CheckReport& report, Type type) {
  switch (type) {
    case Type::kJson:
      return CheckJson(report);
    case Type::kMarkdown:
      return CheckMarkdown(report);
    case Type::kJunit:
      return CheckJunit(report);
    default:
      break;
  }
  const auto format = DataFormatOf(type);
  if (!format.has_value()) return CheckText(report);
  StringSink sink;
  WriteData(
      *format == DataFormat::kTable ? CheckTable(report) : CheckData(report),
      *format, sink);
  return sink.text();
}

absl::Status Write(const CheckReport& report, const Command& command,
                   const CheckOptions& check, Ui& ui) {
  const OutputSpec& output = command.options.output;
  if (output.type == Type::kNone) return absl::OkStatus();
  const bool short_form = command.options.agent && output.type == Type::kStdout;
  const std::string text = short_form
                               ? ForAgent(report, Spelled(command, check))
                               : Report(report, output.type);
  const bool to_file =
      output.type != Type::kStdout && !output.outfile().empty();
  if (to_file) {
    const absl::Status written = WriteFile(output.outfile(), text);
    if (!written.ok()) return written;
    // Nobody reads the file when all is well; who fails is told here too.
    ui.Error(CheckSummary(report) + "\n");
    return absl::OkStatus();
  }
  ui.out().Write(text);
  ui.Flush();
  return absl::OkStatus();
}

absl::StatusOr<bool> Passes(const Command& command, const CheckOptions& options,
                            size_t max_memory, Ui& ui) {
  const absl::Status known = CheckOutput(command, /*has_junit=*/true);
  if (!known.ok()) return known;
  const absl::StatusOr<std::vector<CheckRule>> rules = ParseRules(options);
  if (!rules.ok()) return rules.status();
  const auto before = LoadWhole(command.arguments[0], max_memory, ui);
  if (!before.ok()) return before.status();
  const auto after = LoadWhole(command.arguments[1], max_memory, ui);
  if (!after.ok()) return after.status();
  const absl::StatusOr<CheckReport> report =
      Check(*rules, options.noise, (*before)->views(), (*after)->views());
  if (!report.ok()) return report.status();
  const absl::Status written = Write(*report, command, options, ui);
  if (!written.ok()) return written;
  return !report->failed();
}

}  // namespace

int RunCheck(const Command& command, const CheckOptions& options,
             size_t max_memory, Ui& ui) {
  const absl::StatusOr<bool> passes = Passes(command, options, max_memory, ui);
  if (!passes.ok()) {
    ui.Error(command.options.agent
                 ? ErrorJson(passes.status())
                 : fmt::format("tfprof: {}\n",
                               std::string(passes.status().message())));
    return kCheckImpossible;
  }
  return *passes ? kCheckPassed : kCheckFailed;
}

}  // namespace tfprof
