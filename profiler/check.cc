#include "profiler/check.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <utility>

#include "compare/check.h"
#include "compare/check_answer.h"
#include "compare/check_text.h"
#include "compare/rule.h"
#include "fmt/format.h"
#include "loaders/input_file.h"
#include "profiler/answer.h"
#include "profiler/base.h"
#include "profiler/data_output.h"

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
  absl::StatusOr<CheckReport> report =
      Check(*rules, options.noise, (*before)->views(), (*after)->views());
  if (!report.ok()) return report.status();
  const bool failed = report->failed();
  const std::string summary = CheckSummary(*report);
  const absl::Status written = WriteAnswer(
      CheckAnswer(*std::move(report)), command, Spelled(command, options), ui);
  if (!written.ok()) return written;
  const OutputSpec& output = command.options.output;
  if (output.type != Type::kStdout && output.type != Type::kNone &&
      !output.outfile().empty()) {
    // Nobody reads the file when all is well; who fails is told here too.
    ui.Error(summary + "\n");
  }
  return !failed;
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
