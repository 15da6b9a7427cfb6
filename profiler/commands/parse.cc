#include "profiler/commands/parse.h"

#include <cstddef>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "profiler/options/option_word.h"
#include "profiler/options/words.h"

namespace tfprof::commands {
namespace {

// Where the words come from.
struct Source {
  bool program = false;  // else a line
  std::function<bool(const std::string& word)> exists;
};

absl::Status Refuse(Refusal reason, absl::Status status, Refusal* refusal) {
  if (refusal != nullptr) *refusal = std::move(reason);
  return status;
}

// Whether `next`, the word after a boolean option without a '=', is its value.
bool IsBoolValue(const std::string& next, const Source& source,
                 const Command& command) {
  if (options::IsBoolWord(next)) return true;
  if (next.starts_with('-')) return false;
  if (command.info != nullptr &&
      TakesArgument(command, options::Unquote(next))) {
    return false;
  }
  if (!source.program) return true;
  if (command.info == nullptr && FindCommand(next) != nullptr) return false;
  return next.find_first_of("./") == next.npos &&
         !(source.exists && source.exists(next));
}

// The value of the option or flag at words[at]; nullopt: there is none. If the
// value is the next word, `at` moves to it.
std::optional<std::string> TakeValue(const options::OptionWord& word,
                                     std::span<const std::string> words,
                                     const Source& source,
                                     const Command& command, size_t& at) {
  if (word.value.has_value()) return std::string(*word.value);
  const bool next = at + 1 < words.size();
  if (word.option != nullptr &&
      word.option->kind == options::OptionKind::kFlag &&
      (!next || !IsBoolValue(words[at + 1], source, command))) {
    return "true";
  }
  if (!next) return std::nullopt;
  return words[++at];
}

absl::Status ParseFlag(const options::FlagInfo& flag, const std::string& word,
                       const std::optional<std::string>& value,
                       CommandLine& line, Refusal* refusal) {
  if (!value.has_value()) {
    return Refuse({.kind = Refusal::Kind::kNothing, .word = word},
                  absl::InvalidArgumentError(fmt::format(
                      "{} needs a value: {}={}", word, word, flag.value_name)),
                  refusal);
  }
  if (flag.set(*value, line.flags)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      fmt::format("Invalid option '--{}' value: '{}'; it takes {}", flag.name,
                  *value, flag.value_name));
}

// Parses the option at `at`, which moves to its last word.
absl::Status ParseOptionAt(std::span<const std::string> words,
                           const Source& source, size_t& at, CommandLine& line,
                           Refusal* refusal) {
  using Kind = Refusal::Kind;
  const std::string& word = words[at];
  const options::OptionWord split = options::SplitOptionWord(word);
  const std::string next =
      at + 1 < words.size() ? words[at + 1] : std::string();
  const options::FlagInfo* flag =
      source.program ? options::FindFlag(split.name) : nullptr;
  const bool known =
      split.option != nullptr && (source.program || !split.two_dashes);
  if (flag == nullptr && !known) {
    return Refuse({.kind = Kind::kOption, .word = word},
                  options::InvalidOption(word, next), refusal);
  }
  std::optional<std::string> value =
      TakeValue(split, words, source, line.command, at);
  if (flag != nullptr) return ParseFlag(*flag, word, value, line, refusal);
  const options::Option& option = *split.option;
  if (!value.has_value()) {
    return Refuse({.kind = Kind::kNoValue, .word = word, .option = &option},
                  options::InvalidOption(fmt::format("-{}", option.name), ""),
                  refusal);
  }
  // `--output=` is the default.
  if (option.name == "output" && value->empty()) *value = "stdout";
  absl::Status status =
      options::ParseOption(option, *value, line.command.options);
  if (status.ok()) return status;
  return Refuse({.kind = Kind::kValue,
                 .word = word,
                 .value = *std::move(value),
                 .option = &option},
                std::move(status), refusal);
}

// A word that is neither an option nor a value.
absl::Status ParsePlainAt(std::span<const std::string> words,
                          const Source& source, size_t at, CommandLine& line,
                          Refusal* refusal) {
  Command& command = line.command;
  const std::string& word = words[at];
  // The quotes of the program's arguments were for the user's shell.
  std::string bare = source.program ? word : options::Unquote(word);
  if (command.info == nullptr) {
    command.info = FindCommand(word);
    if (command.info != nullptr) return absl::OkStatus();
  } else if (WantsTopic(command, at + 1 == words.size()) ||
             (TakesArgument(command, bare) &&
              (source.program || !word.starts_with('-')))) {
    command.arguments.push_back(std::move(bare));
    return absl::OkStatus();
  }
  if (source.program) {
    line.flags.inputs.files.push_back(word);
    return absl::OkStatus();
  }
  const std::string next =
      at + 1 < words.size() ? words[at + 1] : std::string();
  return Refuse(
      {.kind = Refusal::Kind::kWord, .word = word, .command = command.info},
      options::InvalidOption(word, next), refusal);
}

absl::Status ParseWords(std::span<const std::string> words,
                        const Source& source, CommandLine& line,
                        Refusal* refusal) {
  Command& command = line.command;
  bool options_end = false;
  for (size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    const std::string_view name = options::SplitOptionWord(word).name;
    const bool last = at + 1 == words.size();
    if (command.info != nullptr && command.info->takes_program &&
        (options_end || !command.arguments.empty() ||
         (!word.starts_with('-') && !word.empty()))) {
      command.arguments.push_back(source.program ? word
                                                 : options::Unquote(word));
      continue;
    }
    if (source.program && !options_end) {
      if (word == "--") {
        options_end = true;
        continue;
      }
      line.help |= name == "help" || name == "h";
      line.version |= name == "version";
      if (line.help || line.version) return absl::OkStatus();
    }
    if (!source.program && command.info == nullptr) {
      command.info = FindCommand(word);
      if (command.info != nullptr) continue;
      return Refuse(
          {.kind = Refusal::Kind::kCommand, .word = word},
          absl::InvalidArgumentError("First string must be a valid command."),
          refusal);
    }
    const absl::Status status =
        name.empty() || options_end || WantsTopic(command, last)
            ? ParsePlainAt(words, source, at, line, refusal)
            : ParseOptionAt(words, source, at, line, refusal);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// "op --help", as in other shells.
bool AsksForHelp(std::span<const std::string> words) {
  return words.size() == 2 && FindCommand(words[0]) != nullptr &&
         (words[1] == "--help" || words[1] == "-help" || words[1] == "-h");
}

}  // namespace

absl::StatusOr<Command> ParseCommand(std::span<const std::string> words,
                                     const options::Options& defaults,
                                     Refusal* refusal) {
  CommandLine line;
  line.command.options = defaults;
  if (words.empty()) {
    return absl::InvalidArgumentError("First string must be a valid command.");
  }
  if (AsksForHelp(words)) {
    line.command.info = FindCommand("help");
    line.command.arguments.push_back(words[0]);
    return std::move(line.command);
  }
  absl::Status status = ParseWords(words, {}, line, refusal);
  if (status.ok()) status = CheckCommand(line.command);
  if (!status.ok()) return status;
  return std::move(line.command);
}

absl::StatusOr<CommandLine> ParseCommandLine(
    std::span<const std::string> arguments, const options::Options& defaults,
    const std::function<bool(const std::string& word)>& exists,
    Refusal* refusal) {
  using Inputs = CommandInfo::Inputs;
  CommandLine line;
  line.command.options = defaults;
  absl::Status status =
      ParseWords(arguments, {.program = true, .exists = exists}, line, refusal);
  if (!status.ok()) return status;
  if (line.help || line.version) return line;
  const CommandInfo* info = line.command.info;
  loaders::LoadRequest& inputs = line.flags.inputs;
  // `ls FILE`: if no profile is named, an argument that may be missing is one.
  std::vector<std::string>& words = line.command.arguments;
  if (info != nullptr && info->inputs == Inputs::kProfile &&
      info->only_argument.empty() && inputs.empty() &&
      words.size() > info->min_arguments) {
    inputs.files.push_back(std::move(words.back()));
    words.pop_back();
  }
  status = CheckCommand(line.command);
  if (!status.ok()) return status;
  if (info == nullptr) return line;
  if (info->inputs == Inputs::kNone &&
      (!inputs.empty() || !line.flags.base.empty())) {
    return absl::InvalidArgumentError(fmt::format(
        "{} takes {} and nothing else: tfprof {} {}; one of several files is "
        "written FILE,FILE",
        info->name, info->arguments, info->name, info->arguments));
  }
  if (!line.flags.script.empty()) {
    return absl::InvalidArgumentError(
        fmt::format("give either a command ({}) or a script (-f {})",
                    info->name, line.flags.script));
  }
  return line;
}

}  // namespace tfprof::commands
