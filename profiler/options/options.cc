#include "profiler/options/options.h"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "fmt/format.h"
#include "profiler/options/option_values.h"
#include "profiler/options/other_words.h"
#include "profiler/options/words.h"
#include "views/regex_list.h"

namespace tfprof::options {

OptionText::OptionText(std::vector<std::string> values)
    : word_(fmt::format("{}", fmt::join(values, ","))),
      values_(std::move(values)) {}

std::string OptionText::Unquoted() const {
  return values_ ? word_ : Unquote(word_);
}

std::vector<std::string> OptionText::Elements() const {
  return values_ ? *values_ : SplitList(word_);
}

bool Options::LargestFirst() const {
  return !InReferenceForm() && output.type != OutputSpec::Type::kText &&
         FindOutput(output.type).kind == kAnswerOutput;
}

views::ViewOptions Options::Rows() const {
  views::ViewOptions rows = view;
  rows.max_depth = max_depth.value_or(rows.max_depth);
  if (order.has_value()) {
    rows.order = order->order;
    rows.order_stat = order->stat;
  }
  return rows;
}

absl::Status InvalidOption(std::string_view word, std::string_view value) {
  return absl::InvalidArgumentError(
      fmt::format("Invalid option '{}' value: '{}'", word, value));
}

absl::Status ParseOption(const Option& option, const OptionText& value,
                         Options& options) {
  absl::Status status = option.parse(value, options);
  if (status.ok()) return status;
  if (!options.InReferenceForm()) {
    return RefusedValue(option, value.word(), status);
  }
  if (!status.message().empty()) return status;
  return InvalidOption(fmt::format("-{}", option.name), value.word());
}

absl::Status ParseOptionNamed(std::string_view name, const Option& option,
                              const OptionText& value, Options& options) {
  if (option.group == kNameOptions && IsOtherWord(name)) {
    std::vector<std::string> patterns = value.Elements();
    for (std::string& pattern : patterns) {
      // An error is about the pattern as it was written.
      if (!views::RegexError(pattern).empty()) continue;
      pattern = pattern.find('|') == pattern.npos
                    ? fmt::format(".*{}.*", pattern)
                    : fmt::format(".*(?:{}).*", pattern);
    }
    return SetOption(option, std::move(patterns), options);
  }
  absl::Status status = ParseOption(option, value, options);
  const std::string_view instead = InsteadOfOption(name);
  if (status.ok() || instead.empty()) return status;
  return absl::InvalidArgumentError(
      fmt::format("{}; {}", std::string(status.message()), instead));
}

absl::Status SetOption(const Option& option, std::vector<std::string> values,
                       Options& options) {
  if (values.size() != 1 && !TakesList(option)) {
    return absl::InvalidArgumentError(fmt::format(
        "-{} takes one value, found {}", option.name, values.size()));
  }
  return ParseOption(option, OptionText(std::move(values)), options);
}

std::vector<std::string> OptionNames() {
  std::vector<std::string> names;
  for (const Option& option : OptionTable()) names.emplace_back(option.name);
  return names;
}

const Option* FindExactOption(std::string_view name) {
  for (const Option& option : OptionTable()) {
    if (option.name == name) return &option;
  }
  return nullptr;
}

const Option* FindOption(std::string_view name) {
  const Option* option = FindExactOption(name);
  return option != nullptr ? option : FindExactOption(OptionMeantBy(name));
}

std::vector<std::string> OptionChoices(const Option& option) {
  return option.choices == nullptr ? std::vector<std::string>()
                                   : option.choices();
}

std::string_view ChoiceHelp(const Option& option, std::string_view choice) {
  return option.choice_help == nullptr ? "" : option.choice_help(choice);
}

std::string FormatOptions(const Options& options) {
  std::string dump;
  for (const Option& option : OptionTable()) {
    if (!option.in_dump) continue;
    dump += fmt::format("-{:<27}{}\n", option.name, option.format(options));
  }
  return dump;
}

std::string OptionsMarkdown() {
  std::string page =
      "# Options\n\n"
      "Made from the option table (`profiler/options/option_table.cc`) by "
      "`tfprof "
      "help options.md`.\nEach is a flag (`--order_by=micros`) and a word of a "
      "shell line\n(`-order_by micros`).\n\n"
      "| option | value | default | meaning |\n|---|---|---|---|\n";
  const Options defaults;
  for (const Option& option : OptionTable()) {
    const std::vector<std::string> choices = OptionChoices(option);
    // Checkers have a page of their own.
    const bool listed = !choices.empty() && option.kind != OptionKind::kFlag &&
                        (option.group & kCheckerGroups) == 0;
    page += fmt::format(
        "| `{}` | `{}` | `{}` | {}{} |\n", option.name, option.value_name,
        option.format(defaults), option.help,
        listed ? fmt::format(" One of: `{}`.", fmt::join(choices, "`, `"))
               : "");
  }
  page +=
      "\n## Statistics\n\n"
      "Made from the table of statistics (`accounting/statistics.h`). "
      "`-select` and\n`-order_by` take the word or the name; data and rules of "
      "`check` have the name.\n\n"
      "| word | name | unit | meaning |\n|---|---|---|---|\n";
  for (const accounting::Statistic& s : accounting::kStatistics) {
    page += fmt::format("| `{}` | `{}` | {} | {} {} |\n", s.word, s.name,
                        util::UnitName(s.unit), s.help,
                        accounting::SummingText(s.summing));
  }
  return page;
}

}  // namespace tfprof::options
