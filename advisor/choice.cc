#include "advisor/choice.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "absl/strings/match.h"
#include "fmt/format.h"

namespace tfprof::advisor {
namespace {

bool SameName(std::string_view a, std::string_view b) {
  return absl::EqualsIgnoreCase(absl::string_view(a.data(), a.size()),
                                absl::string_view(b.data(), b.size()));
}

const Checker* FindByName(std::string_view word, CheckerRegistry registry) {
  for (const Checker* checker : registry) {
    if (SameName(word, checker->name) || SameName(word, ShortName(*checker))) {
      return checker;
    }
  }
  return nullptr;
}

absl::Status NoSuchChecker(std::string_view word, std::string_view what,
                           CheckerRegistry registry) {
  std::vector<std::string_view> names;
  for (const Checker* checker : registry) names.push_back(checker->name);
  return absl::InvalidArgumentError(
      fmt::format("there is no {} '{}'; the checkers are {} (help advise "
                  "explains them)",
                  what, word, fmt::join(names, ", ")));
}

const CheckerOption* FindOption(const Checker& checker, std::string_view name) {
  for (const CheckerOption& option : checker.options) {
    if (SameName(name, option.name)) return &option;
  }
  return nullptr;
}

absl::Status NoSuchOption(const Checker& checker, std::string_view name) {
  std::vector<std::string_view> names;
  for (const CheckerOption& option : checker.options) {
    names.push_back(option.name);
  }
  return absl::InvalidArgumentError(fmt::format(
      "{} has no option '{}'; {}", checker.name, name,
      names.empty() ? "it has none"
                    : fmt::format("it has {}", fmt::join(names, ", "))));
}

// Parses all of `text` as a finite number.
bool ParseFinite(std::string_view text, double& value) {
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && at == end && std::isfinite(value);
}

}  // namespace

std::string_view ShortName(const Checker& checker) {
  constexpr std::string_view kSuffix = "Checker";
  std::string_view name = checker.name;
  if (name.ends_with(kSuffix)) name.remove_suffix(kSuffix.size());
  return name;
}

std::vector<CheckerChoice> FindCheckers(std::string_view word,
                                        CheckerRegistry registry) {
  if (const Checker* checker = FindByName(word, registry)) {
    return {{.checker = checker, .rules = {}}};
  }
  std::vector<CheckerChoice> found;
  for (const Checker* checker : registry) {
    for (const Rule& rule : checker->rules) {
      if (SameName(word, rule.id)) {
        found.push_back({.checker = checker, .rules = {rule.id}});
      }
    }
  }
  return found;
}

absl::StatusOr<std::vector<CheckerChoice>> ParseCheckers(
    std::span<const std::string> words, CheckerRegistry registry) {
  std::vector<CheckerChoice> named;
  for (const std::string& word : words) {
    const std::vector<CheckerChoice> found = FindCheckers(word, registry);
    if (found.empty()) {
      return NoSuchChecker(word, "checker or rule", registry);
    }
    named.insert(named.end(), found.begin(), found.end());
  }
  // Each checker once, in the registry's order, which is the report's order.
  std::vector<CheckerChoice> choices;
  for (const Checker* checker : registry) {
    bool chosen = false, whole = false;
    std::vector<std::string_view> rules;
    for (const CheckerChoice& choice : named) {
      if (choice.checker != checker) continue;
      chosen = true;
      whole |= choice.rules.empty();
      for (const std::string_view rule : choice.rules) {
        if (std::find(rules.begin(), rules.end(), rule) == rules.end()) {
          rules.push_back(rule);
        }
      }
    }
    if (whole) rules.clear();
    if (chosen) choices.push_back({.checker = checker, .rules = rules});
  }
  return choices;
}

absl::StatusOr<CheckerValues> ParseCheckerValues(
    std::span<const std::string> words, CheckerRegistry registry) {
  CheckerValues values;
  for (const std::string& text : words) {
    const std::string_view word = text;
    const size_t equals = word.find('=');
    const size_t dot = word.substr(0, equals).find('.');
    if (equals == word.npos || dot == word.npos) {
      return absl::InvalidArgumentError(fmt::format(
          "'{}' is not CHECKER.NAME=VALUE; help advise lists them", word));
    }
    const std::string_view name = word.substr(dot + 1, equals - dot - 1);
    const Checker* checker = FindByName(word.substr(0, dot), registry);
    if (checker == nullptr) {
      return NoSuchChecker(word.substr(0, dot), "checker", registry);
    }
    const CheckerOption* option = FindOption(*checker, name);
    if (option == nullptr) return NoSuchOption(*checker, name);
    double value = 0;
    if (!ParseFinite(word.substr(equals + 1), value)) {
      return absl::InvalidArgumentError(
          fmt::format("{}.{} needs a number ({}), not '{}'", checker->name,
                      option->name, option->unit, word.substr(equals + 1)));
    }
    if (option->unit == "share" && !(value >= 0 && value <= 1)) {
      return absl::InvalidArgumentError(
          fmt::format("{}.{} is a share, from 0 to 1, and cannot be {}",
                      checker->name, option->name, value));
    }
    values[checker->name][std::string(option->name)] = value;
  }
  return values;
}

std::vector<std::string> FormatCheckers(
    std::span<const CheckerChoice> choices) {
  std::vector<std::string> words;
  for (const CheckerChoice& choice : choices) {
    if (choice.rules.empty()) words.emplace_back(choice.checker->name);
    words.insert(words.end(), choice.rules.begin(), choice.rules.end());
  }
  return words;
}

std::vector<std::string> FormatCheckerValues(const CheckerValues& values) {
  std::vector<std::string> words;
  for (const auto& [checker, options] : values) {
    for (const auto& [name, value] : options) {
      words.push_back(fmt::format("{}.{}={}", checker, name, value));
    }
  }
  return words;
}

}  // namespace tfprof::advisor
