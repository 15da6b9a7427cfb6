#include "advisor/checker_help.h"

#include <algorithm>
#include <string_view>

#include "advisor/advice.h"
#include "fmt/format.h"
#include "util/text/text_layout.h"

namespace tfprof::advisor {
namespace {

// "0.5 (share)"
std::string Default(const CheckerOption& option) {
  return fmt::format("{} ({})", option.value, option.unit);
}

// Appends two columns: `left`, padded, and `right`.
void AppendEntry(std::string_view left, size_t columns, std::string_view right,
                 std::string* text) {
  *text += "    ";
  util::AppendPadded(left, columns, text);
  *text += "  ";
  util::AppendWrapped(right, columns + 6, text);
}

// "… Threshold: low_utilization = 0.5 (share)."
std::string RuleText(const Checker& checker, const Rule& rule) {
  std::string text(rule.help);
  if (const CheckerOption* option = ThresholdOption(checker, rule)) {
    text += fmt::format(" Threshold: {} = {}.", option->name, Default(*option));
  }
  return text;
}

// The mark that follows the name of a checker of this kind.
std::string_view Mark(Checker::Kind kind) {
  switch (kind) {
    case Checker::Kind::kReference:
      return " *";
    case Checker::Kind::kAdvice:
      break;
    case Checker::Kind::kHealth:
      return " +";
  }
  return "";
}

void AppendChecker(const Checker& checker, std::string* text) {
  *text += fmt::format("{}{}\n  ", checker.name, Mark(checker.kind));
  util::AppendWrapped(checker.help, 2, text);
  size_t columns = 0;
  for (const Rule& rule : checker.rules) {
    columns = std::max(columns, rule.id.size());
  }
  for (const CheckerOption& option : checker.options) {
    columns = std::max(columns, option.name.size());
  }
  *text += "  Rules:\n";
  for (const Rule& rule : checker.rules) {
    AppendEntry(rule.id, columns, RuleText(checker, rule), text);
  }
  if (!checker.options.empty()) *text += "  Options:\n";
  for (const CheckerOption& option : checker.options) {
    AppendEntry(option.name, columns,
                fmt::format("{} Default: {}.", option.help, Default(option)),
                text);
  }
}

void AppendRule(const Checker& checker, const Rule& rule, std::string* text) {
  *text += fmt::format("{}, a rule of {}\n  ", rule.id, checker.name);
  util::AppendWrapped(rule.help, 2, text);
  if (!rule.metric.empty()) {
    *text += fmt::format("  Its value: {}\n", rule.metric);
  }
  if (const CheckerOption* option = ThresholdOption(checker, rule)) {
    *text += fmt::format("  Its threshold: {}\n    ", Default(*option));
    util::AppendWrapped(option->help, 4, text);
    *text += fmt::format("  To set it: -checker_options {}.{}={}\n",
                         ShortName(checker), option->name, option->value);
  }
  *text += fmt::format("  To see it alone: advise all -checkers {}\n", rule.id);
}

std::string Code(std::string_view text) {
  return text.empty() ? "" : fmt::format("`{}`", text);
}

}  // namespace

std::string CheckersHelp(CheckerRegistry registry) {
  std::string text =
      "  Without a word: the checkers marked *, which are the reference's.\n"
      "  all: also the checkers without a mark, the worst findings first.\n"
      "  Checkers marked + judge the profile, not the program: doctor runs "
      "them.\n"
      "  -checkers picks some by name or rule, -checker_options sets their "
      "options,\n"
      "  -output json and -output table give the findings as data.\n";
  for (const Checker* checker : registry) {
    text += '\n';
    AppendChecker(*checker, &text);
  }
  return text;
}

std::string CheckerHelp(const CheckerChoice& choice) {
  std::string text;
  if (choice.rules.empty()) AppendChecker(*choice.checker, &text);
  for (const std::string_view id : choice.rules) {
    AppendRule(*choice.checker, *FindRule(*choice.checker, id), &text);
  }
  return text;
}

std::string CheckersMarkdown(CheckerRegistry registry) {
  std::string page =
      "## Checkers and rules\n\n"
      "`tfprof help advise.md` makes this section from the declarations of "
      "the\ncheckers; `tfprof help advise` prints the same.\n";
  for (const Checker* checker : registry) {
    page += fmt::format(
        "\n### Rules of {}\n\n{}{}\n\n", checker->name, checker->help,
        checker->kind == Checker::Kind::kHealth ? " Run by `doctor`." : "");
    page += "| rule | what it finds | value | threshold |\n|---|---|---|---|\n";
    for (const Rule& rule : checker->rules) {
      page += fmt::format("| `{}` | {} | {} | {} |\n", rule.id, rule.help,
                          rule.metric, Code(rule.threshold_option));
    }
    if (checker->options.empty()) continue;
    page += "\n| option | default | unit | meaning |\n|---|---|---|---|\n";
    for (const CheckerOption& option : checker->options) {
      page += fmt::format("| `{}.{}` | {} | {} | {} |\n", ShortName(*checker),
                          option.name, option.value, option.unit, option.help);
    }
  }
  return page;
}

}  // namespace tfprof::advisor
