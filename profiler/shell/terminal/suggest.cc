#include "profiler/shell/terminal/suggest.h"

#include <algorithm>
#include <optional>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/options/flags.h"
#include "profiler/options/option_word.h"
#include "profiler/options/words.h"
#include "profiler/shell/terminal/regex_text.h"
#include "util/text/edit_distance.h"

namespace tfprof::shell {
namespace {

std::string SuggestCommand(const std::string& word) {
  if (word.starts_with('-')) {
    return "a line begins with a command; did you mean set " + word + " …?";
  }
  const std::vector<std::string> near =
      util::Nearest(word, commands::CommandNames());
  return near.empty() ? "help lists the commands" : util::DidYouMean(near);
}

// For a word that begins with a dash and is no option.
std::string SuggestOption(std::string_view word) {
  const options::OptionWord split = options::SplitOptionWord(word);
  // The program knows all options, so that this is a line.
  if (split.option != nullptr) {
    return fmt::format("in a line an option has one dash: {}", word.substr(1));
  }
  const std::string_view name = split.name;
  std::vector<std::string> names = options::OptionNames();
  for (const options::FlagInfo& flag : options::FlagTable())
    names.emplace_back(flag.name);
  const std::string_view dashes = word.starts_with("--") ? "--" : "-";
  return util::DidYouMean(util::Nearest(name, names), dashes);
}

// The plain name that an expression spells, without ".*" at its ends; none if
// it is not a plain name.
struct Spelled {
  std::string name;
  bool whole = false;  // there was no ".*"
};
std::optional<Spelled> SpelledBy(std::string_view pattern) {
  constexpr std::string_view kAnything = ".*";
  const size_t size = pattern.size();
  while (pattern.starts_with(kAnything)) {
    pattern.remove_prefix(kAnything.size());
  }
  while (pattern.ends_with(kAnything)) pattern.remove_suffix(kAnything.size());
  std::optional<std::string> name = NameOfRegex(pattern);
  if (!name || name->empty()) return {};
  return Spelled{*std::move(name), pattern.size() == size};
}

std::string SuggestName(NameIndex::Kind kind, const std::string& pattern,
                        NameIndex& names) {
  const std::optional<Spelled> spelled = SpelledBy(pattern);
  if (!spelled) return "";
  const std::string_view within = names.FirstWith(kind, spelled->name);
  if (!within.empty()) {
    // The name exists: another filter hides it.
    if (!spelled->whole || within == spelled->name ||
        names.Complete(kind, spelled->name + "/", 1).total > 0) {
      return "";
    }
    return fmt::format(
        "'{}' matches whole names only; names that contain it, such as {}, "
        "match '.*{}.*'",
        pattern, within, pattern);
  }
  const std::vector<std::string> near = names.Nearest(kind, spelled->name);
  if (near.empty()) return "";
  return fmt::format("nothing is called '{}'; {}", spelled->name,
                     util::DidYouMean(near));
}

std::string TakesText(const options::Option& option) {
  return fmt::format("-{} takes {}", option.name, option.value_name);
}

}  // namespace

std::string SuggestValue(const options::Option& option,
                         std::string_view value) {
  const std::vector<std::string> choices = options::OptionChoices(option);
  if (choices.empty()) {
    return option.explains_errors ? "" : TakesText(option);
  }
  std::vector<std::string> elements = {options::Unquote(value)};
  if (options::IsList(option)) elements = options::SplitList(value);
  if (option.completes == options::Completes::kOutput) {
    elements[0].resize(std::min(elements[0].find(':'), elements[0].size()));
  }
  for (const std::string& element : elements) {
    if (std::find(choices.begin(), choices.end(), element) != choices.end()) {
      continue;
    }
    const std::string near = util::DidYouMean(util::Nearest(element, choices));
    if (!near.empty()) return near;
  }
  if (option.explains_errors) return "";
  return fmt::format("{}: {}", TakesText(option), fmt::join(choices, ", "));
}

std::string SuggestFor(const commands::Refusal& refusal) {
  switch (refusal.kind) {
    case commands::Refusal::Kind::kCommand:
      return SuggestCommand(refusal.word);
    case commands::Refusal::Kind::kOption:
      return SuggestOption(refusal.word);
    case commands::Refusal::Kind::kNoValue:
      return TakesText(*refusal.option);
    case commands::Refusal::Kind::kValue:
      return SuggestValue(*refusal.option, refusal.value);
    case commands::Refusal::Kind::kWord:
      return fmt::format("options of {} begin with a dash; help {} lists them",
                         refusal.command->name, refusal.command->name);
    case commands::Refusal::Kind::kNothing:
      break;
  }
  return "";
}

std::string RefusedText(const commands::Refusal& refusal) {
  switch (refusal.kind) {
    case commands::Refusal::Kind::kCommand:
      return fmt::format("unknown command \"{}\"", refusal.word);
    case commands::Refusal::Kind::kOption:
      return fmt::format("unknown option \"{}\"", refusal.word);
    case commands::Refusal::Kind::kNoValue:
      return fmt::format("\"{}\" has no value", refusal.word);
    case commands::Refusal::Kind::kValue:
      return fmt::format("\"{}\" is not a value of -{}", refusal.value,
                         refusal.option->name);
    case commands::Refusal::Kind::kWord:
      return fmt::format("{} does not take \"{}\"", refusal.command->name,
                         refusal.word);
    case commands::Refusal::Kind::kNothing:
      break;
  }
  return "";
}

std::string SuggestNames(views::View view, const views::ViewOptions& options,
                         NameIndex& names) {
  const NameIndex::Kind rows =
      view == views::View::kOp     ? NameIndex::Kind::kTypes
      : view == views::View::kCode ? NameIndex::Kind::kCode
                                   : NameIndex::Kind::kNodes;
  const std::pair<NameIndex::Kind, const views::RegexPatterns*> lists[] = {
      {NameIndex::Kind::kTypes, &options.account_types},
      {rows, &options.start_names},
      {rows, &options.show_names},
  };
  std::string text;
  for (const auto& [kind, patterns] : lists) {
    for (const std::string& pattern : *patterns) {
      const std::string line = SuggestName(kind, pattern, names);
      if (line.empty()) continue;
      text += fmt::format("{}{}", text.empty() ? "" : "\n", line);
    }
  }
  return text;
}

}  // namespace tfprof::shell
