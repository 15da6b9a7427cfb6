#include "profiler/commands/refusal.h"

#include <algorithm>
#include <string>
#include <vector>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/meaning.h"
#include "profiler/options/flags.h"
#include "profiler/options/option_word.h"
#include "profiler/options/other_words.h"
#include "profiler/options/words.h"
#include "util/text/edit_distance.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::commands {
namespace {

std::string SuggestCommand(const std::string& word) {
  if (word.starts_with('-')) {
    return "a line begins with a command; did you mean set " + word + " …?";
  }
  const std::vector<std::string> near = util::Nearest(word, CommandNames());
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

std::string TakesText(const options::Option& option) {
  return fmt::format("-{} takes {}", option.name, option.value_name);
}

// A word of the user in a sentence. A line of a file that is no script is long.
std::string Shown(std::string_view word) {
  constexpr size_t kColumns = 200;
  return fmt::format(
      "\"{}\"", util::Shortened(util::SafeText(word.substr(0, 4 * kColumns)),
                                kColumns, "..."));
}

std::string WithHint(std::string text, const std::string& hint) {
  return hint.empty() ? text : fmt::format("{}; {}", text, hint);
}

// About a word that begins with a dash and is no option.
std::string OptionText(const Refusal& refusal) {
  const options::OptionWord split = options::SplitOptionWord(refusal.word);
  const std::string_view name =
      split.name.empty() ? std::string_view(refusal.word) : split.name;
  if (const options::FlagInfo* flag = options::FindFlag(name)) {
    return flag->name == "base"
               ? "-base is for the program; in a line: base FILE"
               : fmt::format("-{0} is for the program: tfprof --{0}={1} FILE",
                             flag->name, flag->value_name);
  }
  std::string hint = options::OptionHint(name);
  if (hint.empty()) {
    std::vector<std::string> flags;
    for (const options::FlagInfo& flag : options::FlagTable())
      flags.emplace_back(flag.name);
    hint = util::DidYouMean(util::Nearest(name, flags), "--");
  }
  return WithHint(fmt::format("there is no option {}", Shown(refusal.word)),
                  hint.empty() ? "help all lists them" : hint);
}

std::string WordText(const Refusal& refusal) {
  const CommandInfo& command = *refusal.command;
  std::string text =
      fmt::format("{} does not take {}", command.name, Shown(refusal.word));
  if (!command.only_argument.empty()) {
    const std::vector<std::string> only = {std::string(command.only_argument)};
    const std::string near = util::NearestHint(refusal.word, only);
    return text + (near.empty()
                       ? fmt::format("; it takes {}", command.arguments)
                       : near);
  }
  if (!command.arguments.empty()) {
    return text + fmt::format("; it is {} {}", command.name, command.arguments);
  }
  const std::string option = options::OptionHint(refusal.word);
  return WithHint(std::move(text),
                  option.empty()
                      ? fmt::format("help {} lists its options", command.name)
                      : option);
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
    std::string near = util::DidYouMean(util::Nearest(element, choices));
    if (!near.empty()) return near;
  }
  if (option.explains_errors) return "";
  return fmt::format("{}: {}", TakesText(option), fmt::join(choices, ", "));
}

std::string SuggestFor(const Refusal& refusal) {
  switch (refusal.kind) {
    case Refusal::Kind::kCommand:
      return SuggestCommand(refusal.word);
    case Refusal::Kind::kOption:
      return SuggestOption(refusal.word);
    case Refusal::Kind::kNoValue:
      return TakesText(*refusal.option);
    case Refusal::Kind::kValue:
      return SuggestValue(*refusal.option, refusal.value);
    case Refusal::Kind::kWord:
      return fmt::format("options of {} begin with a dash; help {} lists them",
                         refusal.command->name, refusal.command->name);
    case Refusal::Kind::kNothing:
      break;
  }
  return "";
}

std::string RefusedText(const Refusal& refusal) {
  switch (refusal.kind) {
    case Refusal::Kind::kCommand:
      return fmt::format("unknown command \"{}\"", refusal.word);
    case Refusal::Kind::kOption:
      return fmt::format("unknown option \"{}\"", refusal.word);
    case Refusal::Kind::kNoValue:
      return fmt::format("\"{}\" has no value", refusal.word);
    case Refusal::Kind::kValue:
      return fmt::format("\"{}\" is not a value of -{}", refusal.value,
                         refusal.option->name);
    case Refusal::Kind::kWord:
      return fmt::format("{} does not take \"{}\"", refusal.command->name,
                         refusal.word);
    case Refusal::Kind::kNothing:
      break;
  }
  return "";
}

std::string RefusalText(const Refusal& refusal) {
  switch (refusal.kind) {
    case Refusal::Kind::kCommand: {
      if (refusal.word.starts_with('-')) {
        return fmt::format(
            "a line begins with a command, not with {}; did you "
            "mean set {} …?",
            Shown(refusal.word), refusal.word);
      }
      return WithHint(
          fmt::format("there is no command {}", Shown(refusal.word)),
          CommandHint(refusal.word));
    }
    case Refusal::Kind::kOption:
      return OptionText(refusal);
    case Refusal::Kind::kNoValue:
      return WithHint(fmt::format("{} needs a value: {} {}", refusal.word,
                                  refusal.word, refusal.option->value_name),
                      std::string(options::InsteadOfOption(
                          options::SplitOptionWord(refusal.word).name)));
    case Refusal::Kind::kWord:
      return WordText(refusal);
    case Refusal::Kind::kValue:
    case Refusal::Kind::kNothing:
      break;
  }
  return "";
}

}  // namespace tfprof::commands
