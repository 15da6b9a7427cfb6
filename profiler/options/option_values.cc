#include "profiler/options/option_values.h"

#include <strings.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "advisor/checkers/registry.h"
#include "compare/rule.h"
#include "fmt/format.h"
#include "profiler/options/option_rows.h"
#include "profiler/options/other_words.h"

namespace tfprof::options {
namespace {

constexpr std::string_view kTrueWords[] = {"true", "t", "yes", "y", "1"};
constexpr std::string_view kFalseWords[] = {"false", "f", "no", "n", "0"};

bool IsWord(std::string_view word, std::string_view name) {
  return name.size() == word.size() &&
         strncasecmp(name.data(), word.data(), name.size()) == 0;
}

bool IsOneOf(std::string_view word, std::span<const std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view w) { return IsWord(word, w); });
}

struct NamedTarget {
  std::string_view name;
  ConvertSpec::Type type;
  std::string_view key;
};
constexpr NamedTarget kTargets[] = {
    {"files", ConvertSpec::Type::kFiles, "outdir"},
    {"messages", ConvertSpec::Type::kMessages, "outdir"},
    {"profile", ConvertSpec::Type::kProfile, "outfile"},
    {"session", ConvertSpec::Type::kSession, "outdir"},
    {"session", ConvertSpec::Type::kSessionZip, "outfile"},
};

constexpr std::string_view kByName = "name";

// A word of -select, the name of a statistic, or another word for one.
std::optional<views::Field> FindField(std::string_view word) {
  if (const accounting::Statistic* statistic = StatisticMeantBy(word))
    return statistic->stat;
  for (const views::TextField& text : views::kTextFields) {
    if (text.word == word) return text.field;
  }
  return std::nullopt;
}

absl::Status AddRule(std::string word, Options& options) {
  if (word.empty()) {
    options.check.rules.clear();
    return absl::OkStatus();
  }
  const absl::StatusOr<compare::CheckRule> rule = compare::ParseCheckRule(word);
  if (!rule.ok()) {
    return absl::InvalidArgumentError(
        fmt::format("--fail-if: {}", std::string(rule.status().message())));
  }
  options.check.rules.push_back(std::move(word));
  return absl::OkStatus();
}

}  // namespace

absl::Status BadValue() { return absl::InvalidArgumentError(""); }

bool ParseBool(std::string_view word, bool& value) {
  if (!IsBoolWord(word)) return false;
  value = IsOneOf(word, kTrueWords);
  return true;
}

absl::Status ParseStep(const OptionText& text, Options& options) {
  constexpr std::pair<std::string_view, StepWord> kWords[] = {
      {"first", StepWord::kFirst},
      {"last", StepWord::kLast},
      {"slowest", StepWord::kSlowest},
      {"worst", StepWord::kSlowest}};
  constexpr std::pair<std::string_view, int64_t> kSums[] = {
      {"all", accounting::kAllSteps},
      {"average", accounting::kAverageOfSteps},
      {"mean", accounting::kAverageOfSteps}};
  int64_t step = 0;
  StepWord of_word = StepWord::kNone;
  const auto named = [&](const auto& words, auto& value) {
    for (const auto& [name, meaning] : words) {
      if (!IsWord(text.word(), name)) continue;
      value = meaning;
      return true;
    }
    return false;
  };
  if (named(kWords, of_word)) {
    step = accounting::kAverageOfSteps;
  } else if (!named(kSums, step)) {
    absl::Status parsed = ParseInt(text, step);
    if (!parsed.ok()) return parsed;
  }
  options.view.step = step;
  options.step_word = of_word;
  return absl::OkStatus();
}

std::string FormatStep(const Options& options) {
  switch (options.step_word) {
    case StepWord::kFirst:
      return "first";
    case StepWord::kLast:
      return "last";
    case StepWord::kSlowest:
      return "slowest";
    case StepWord::kNone:
      break;
  }
  return options.view.step == accounting::kAllSteps
             ? "all"
             : fmt::format("{}", options.view.step);
}

absl::Status ParseOrder(const OptionText& word, Options& options) {
  if (word == kByName) {
    options.order = RowOrder();
  } else if (const accounting::Statistic* statistic = StatisticMeantBy(word)) {
    options.order = {views::ViewOptions::Order::kStat, statistic->stat};
  } else {
    return BadValue();
  }
  return absl::OkStatus();
}

std::string FormatOrder(const Options& options) {
  const RowOrder order = options.order.value_or(RowOrder());
  return std::string(order.order == views::ViewOptions::Order::kStat
                         ? accounting::StatisticOf(order.stat).word
                         : kByName);
}

std::vector<std::string> OrderChoices() {
  std::vector<std::string> choices = {std::string(kByName)};
  for (const accounting::Stat stat : accounting::kReferenceOrder) {
    choices.emplace_back(accounting::StatisticOf(stat).word);
  }
  return choices;
}

absl::Status ParseSelect(const OptionText& word, Options& options) {
  views::FieldSet select;
  for (const std::string& name : word.Elements()) {
    const std::optional<views::Field> field = FindField(name);
    if (!field) return BadValue();
    select.Add(*field);
  }
  options.view.select = select;
  return absl::OkStatus();
}

std::string FormatSelect(const Options& options) {
  std::vector<std::string_view> names;
  for (const views::Field field : views::kFieldsByWord) {
    if (options.view.select.Has(field))
      names.push_back(views::FieldWord(field));
  }
  return fmt::format("{}", fmt::join(names, ","));
}

std::vector<std::string> SelectChoices() {
  std::vector<std::string> choices;
  for (const views::Field field : views::kFieldsByPlace) {
    choices.emplace_back(views::FieldWord(field));
  }
  return choices;
}

std::string_view FieldChoiceHelp(std::string_view choice) {
  if (choice == kByName) return "Ascending by name.";
  const std::optional<views::Field> field = FindField(choice);
  return field ? views::FieldHelp(*field) : "";
}

std::vector<std::string> OutputChoices() {
  std::vector<std::string> choices;
  for (const OutputInfo& output : OutputTable()) {
    choices.emplace_back(output.name);
  }
  return choices;
}

std::string_view OutputChoiceHelp(std::string_view choice) {
  for (const OutputInfo& output : OutputTable()) {
    if (output.name == choice) return output.help;
  }
  return "";
}

std::vector<std::string> CheckerChoices() {
  std::vector<std::string> choices;
  for (const advisor::Checker* checker : advisor::Checkers()) {
    choices.emplace_back(checker->name);
  }
  return choices;
}

std::vector<std::string> CheckerValueChoices() {
  advisor::CheckerValues defaults;
  for (const advisor::Checker* checker : advisor::Checkers()) {
    for (const advisor::CheckerOption& o : checker->options) {
      defaults[checker->name][std::string(o.name)] = o.value;
    }
  }
  return advisor::FormatCheckerValues(defaults);
}

absl::Status ParseWhatIfs(const OptionText& text, Options& options) {
  std::vector<inspect::WhatIf> parsed;
  for (const std::string& word : text.Elements()) {
    absl::StatusOr<inspect::WhatIf> one = inspect::ParseWhatIf(word);
    if (!one.ok()) return one.status();
    parsed.push_back(*std::move(one));
  }
  options.what_if = std::move(parsed);
  return absl::OkStatus();
}

std::string FormatWhatIfs(const Options& options) {
  std::vector<std::string> words;
  for (const inspect::WhatIf& one : options.what_if)
    words.push_back(inspect::FormatWhatIf(one));
  return fmt::format("{}", fmt::join(words, ","));
}

absl::Status ParseTo(const OptionText& text, Options& options) {
  const std::string word = text.Unquoted();
  if (word.empty()) {
    options.convert.type = ConvertSpec::Type::kNone;
    options.convert.path.clear();
    return absl::OkStatus();
  }
  for (const NamedTarget& target : kTargets) {
    const std::string prefix = fmt::format("{}:{}=", target.name, target.key);
    if (word.size() <= prefix.size() ||
        word.compare(0, prefix.size(), prefix) != 0) {
      continue;
    }
    options.convert.type = target.type;
    options.convert.path = word.substr(prefix.size());
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      fmt::format("-to takes profile:outfile=FILE, files:outdir=FOLDER, "
                  "messages:outdir=FOLDER, session:outdir=FOLDER or "
                  "session:outfile=FILE, not '{}'",
                  word));
}

std::string FormatTo(const Options& options) {
  for (const NamedTarget& target : kTargets) {
    if (target.type == options.convert.type) {
      return fmt::format("{}:{}={}", target.name, target.key,
                         options.convert.path);
    }
  }
  return "";
}

absl::Status ParseSteps(const OptionText& text, Options& options) {
  const std::string word = text.Unquoted();
  const auto steps =
      word.empty() ? profile::StepList() : profile::ParseStepList(word);
  if (!steps) return BadValue();
  options.convert.steps = *steps;
  return absl::OkStatus();
}

absl::Status ParseRule(const OptionText& text, Options& options) {
  if (!text.is_exact()) return AddRule(text.Unquoted(), options);
  options.check.rules.clear();
  for (std::string& rule : text.Elements()) {
    absl::Status status = AddRule(std::move(rule), options);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ParseNoise(const OptionText& text, Options& options) {
  std::string_view word = text.word();
  if (word.ends_with('%')) word.remove_suffix(1);
  double percent = 0;
  const char* end = word.data() + word.size();
  const auto [at, error] =
      std::from_chars(word.data(), end, percent, std::chars_format::fixed);
  // `!(…)`, because a NaN is refused too.
  if (error != std::errc() || at != end || !(percent >= 0 && percent <= 1000)) {
    return BadValue();
  }
  options.check.noise = percent / 100;
  return absl::OkStatus();
}

bool IsBoolWord(std::string_view word) {
  return IsOneOf(word, kTrueWords) || IsOneOf(word, kFalseWords);
}

}  // namespace tfprof::options
