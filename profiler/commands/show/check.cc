// The command `check`: applies rules to two profiles, for CI (compare/check.h).

#include "compare/check.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "compare/check_answer.h"
#include "compare/check_text.h"
#include "compare/rule.h"
#include "fmt/format.h"
#include "loaders/core/input_file.h"
#include "profiler/commands/commands.h"
#include "profiler/options/flags.h"

namespace tfprof::commands {
namespace {

// Without rules, DefaultCheckRules() apply.
absl::StatusOr<std::vector<compare::CheckRule>> ParseRules(
    const options::CheckOptions& options) {
  std::vector<compare::CheckRule> rules;
  for (const std::string& text : options.rules) {
    absl::StatusOr<compare::CheckRule> rule = compare::ParseCheckRule(text);
    if (!rule.ok()) {
      return absl::InvalidArgumentError(
          fmt::format("--fail-if: {}", std::string(rule.status().message())));
    }
    rules.push_back(*std::move(rule));
  }
  if (!options.rules_file.empty()) {
    const auto file = loaders::InputFile::Open(options.rules_file);
    if (!file.ok()) return file.status();
    absl::StatusOr<std::vector<compare::CheckRule>> more =
        compare::ParseCheckRules((*file)->bytes(), options.rules_file);
    if (!more.ok()) return more.status();
    if (more->empty()) {
      return absl::InvalidArgumentError(
          fmt::format("{}: the file contains no rule", options.rules_file));
    }
    for (compare::CheckRule& rule : *more) rules.push_back(std::move(rule));
  }
  return rules.empty() ? compare::DefaultCheckRules() : rules;
}

absl::StatusOr<std::shared_ptr<OpenProfile>> LoadWhole(
    const std::string& files, const Workspace& workspace,
    std::vector<std::string>& notes) {
  absl::StatusOr<Base> base =
      LoadBase(options::SplitFiles(files), workspace, notes);
  if (!base.ok()) return base.status();
  if (base->opened->loaded.log.damaged()) {
    return absl::DataLossError(fmt::format(
        "{} is damaged, and a damaged profile is not compared", files));
  }
  return base->opened;
}

tables::Answer RunCheck(const Command& command, Workspace& workspace) {
  const options::CheckOptions& options = command.options.check;
  const absl::StatusOr<std::vector<compare::CheckRule>> rules =
      ParseRules(options);
  if (!rules.ok()) return tables::ErrorAnswer(rules.status());
  std::vector<std::string> notes;
  const auto failed = [&](absl::Status status) {
    tables::Answer answer = tables::ErrorAnswer(std::move(status));
    answer.notes = std::move(notes);
    return answer;
  };
  const auto before = LoadWhole(command.arguments[0], workspace, notes);
  if (!before.ok()) return failed(before.status());
  const auto after = LoadWhole(command.arguments[1], workspace, notes);
  if (!after.ok()) return failed(after.status());
  absl::StatusOr<compare::CheckReport> report =
      compare::Check(*rules, options.noise, (*before)->views, (*after)->views);
  if (!report.ok()) return failed(report.status());
  const std::string summary = compare::CheckSummary(*report);
  const bool broken = report->failed();
  tables::Answer answer = compare::CheckAnswer(*std::move(report));
  answer.notes.insert(answer.notes.begin(), notes.begin(), notes.end());
  answer.owned.push_back(*before);
  answer.owned.push_back(*after);
  if (broken) answer.status = NegativeVerdict(summary);
  // The file is rarely read when all rules pass: the summary is a note too.
  if (!command.options.output.file().empty()) {
    answer.met = [summary] { return std::vector<std::string>{summary}; };
  }
  return answer;
}

}  // namespace

extern constinit const CommandInfo kCheckCommand = {
    .name = "check",
    .arguments = "BASE NEW",
    .min_arguments = 2,
    .max_arguments = 2,
    .inputs = CommandInfo::Inputs::kNone,
    .help =
        "Apply rules to the changes from one profile to another, for CI: "
        "--fail-if RULE, --rules FILE, --noise PERCENT. Exit status 1: a rule "
        "failed.",
    .answers =
        "Did the program become slower, or larger, than a rule allows? For CI.",
    .examples = {"check before.pb after.pb -fail-if 'total.micros > +5%'",
                 "check before.pb after.pb -rules rules.txt"},
    .completes = options::Completes::kFile,
    .options = options::kOutputOptions | options::kCheckOptions,
    .outputs = options::kAnswerOutput | options::kVerdictOutput,
    .is_verdict = true,
    .run = RunCheck};

}  // namespace tfprof::commands
