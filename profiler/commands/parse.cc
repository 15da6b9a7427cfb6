#include "profiler/commands/parse.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "profiler/commands/line.h"
#include "profiler/commands/meaning.h"
#include "profiler/commands/refusal.h"
#include "profiler/options/option_word.h"
#include "profiler/options/words.h"
#include "util/text/safe_text.h"

namespace tfprof::commands {
namespace {

// Where the words come from.
struct Source {
  bool program = false;  // else a line
  std::function<bool(const std::string& word)> exists;
};

// `status` has the reference's message, for whoever speaks its language; others
// get a sentence.
absl::Status Refuse(Refusal reason, absl::Status status,
                    const options::Options& options, Refusal* refusal) {
  const std::string text =
      options.InReferenceForm() ? std::string() : RefusalText(reason);
  if (refusal != nullptr) *refusal = std::move(reason);
  return text.empty() ? std::move(status) : absl::InvalidArgumentError(text);
}

// Sets the command that `word` means in another language than ours.
void SetMeant(std::string_view word, Command& command) {
  std::string argument;
  command.info = CommandMeantBy(word, &argument);
  if (!argument.empty()) command.arguments.push_back(std::move(argument));
}

bool IsRowCount(std::string_view word) {
  return !word.empty() && word.find_first_not_of("0123456789") == word.npos;
}

// Whether the word at `at` is one more element of the list before it, as in
// "-select micros bytes"; it is added then.
bool AddsToList(std::span<const std::string> words, size_t at,
                CommandLine& line) {
  size_t first = at;
  while (first > 0 && !words[first - 1].starts_with('-')) --first;
  if (first == 0 || at <= first) return false;
  const options::OptionWord split = options::SplitOptionWord(words[first - 1]);
  if (split.option == nullptr || split.value.has_value() ||
      split.option->name != "select") {
    return false;
  }
  std::string all = words[first];
  for (size_t i = first + 1; i <= at; ++i) all += "," + words[i];
  options::Options tried = line.command.options;
  if (!options::ParseOption(*split.option, all, tried).ok()) return false;
  line.command.options = std::move(tried);
  return true;
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
                  line.command.options, refusal);
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
  const bool reference = line.command.options.InReferenceForm();
  // The reference's lines have one dash, and no other names.
  const bool exact = split.option != nullptr &&
                     (source.program || !split.two_dashes) &&
                     (split.option->name == split.name || source.program);
  if (flag == nullptr && !(reference ? exact : split.option != nullptr)) {
    // "op -5"
    if (!reference && line.command.info != nullptr && IsRowCount(split.name)) {
      return options::ParseOption(*options::FindExactOption("limit"),
                                  split.name, line.command.options);
    }
    return Refuse({.kind = Kind::kOption, .word = word},
                  options::InvalidOption(word, next), line.command.options,
                  refusal);
  }
  if (flag != nullptr && flag->is_switch && !split.value.has_value()) {
    return ParseFlag(*flag, word, "true", line, refusal);
  }
  std::optional<std::string> value =
      TakeValue(split, words, source, line.command, at);
  if (flag != nullptr) return ParseFlag(*flag, word, value, line, refusal);
  const options::Option& option = *split.option;
  if (!value.has_value()) {
    return Refuse({.kind = Kind::kNoValue, .word = word, .option = &option},
                  options::InvalidOption(fmt::format("-{}", option.name), ""),
                  line.command.options, refusal);
  }
  // `--output=` is the default.
  if (option.name == "output" && value->empty()) *value = "stdout";
  absl::Status status =
      reference ? options::ParseOption(option, *value, line.command.options)
                : options::ParseOptionNamed(split.name, option, *value,
                                            line.command.options);
  if (status.ok()) {
    line.given.push_back(&option);
    return status;
  }
  return Refuse({.kind = Kind::kValue,
                 .word = word,
                 .value = *std::move(value),
                 .option = &option},
                std::move(status), line.command.options, refusal);
}

// A word that is neither an option nor a value.
absl::Status ParsePlainAt(std::span<const std::string> words,
                          const Source& source, size_t at, CommandLine& line,
                          Refusal* refusal) {
  Command& command = line.command;
  const std::string& word = words[at];
  // The quotes of the program's arguments were for the user's shell.
  std::string bare = source.program ? word : options::Unquote(word);
  const bool is_file = source.program && source.exists && source.exists(word);
  if (command.info == nullptr) {
    command.info = FindCommand(word);
    // A first word is more often a file that is not there.
    if (command.info == nullptr && !command.options.InReferenceForm() &&
        source.program && !line.flags.inputs.empty() && !is_file) {
      SetMeant(word, command);
    }
    if (command.info != nullptr) return absl::OkStatus();
  } else if (WantsTopic(command, at + 1 == words.size()) ||
             (TakesArgument(command, bare) &&
              (source.program || !word.starts_with('-')) &&
              !(command.info->filters && is_file))) {
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
      options::InvalidOption(word, next), command.options, refusal);
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
    const bool reference = command.options.InReferenceForm();
    if (!source.program && command.info == nullptr) {
      command.info = FindCommand(word);
      if (command.info == nullptr && !reference) SetMeant(word, command);
      if (command.info != nullptr) continue;
      return Refuse(
          {.kind = Refusal::Kind::kCommand, .word = word},
          absl::InvalidArgumentError("First string must be a valid command."),
          command.options, refusal);
    }
    const bool is_option =
        !name.empty() && !options_end && !WantsTopic(command, last);
    absl::Status status;
    if (is_option) {
      status = ParseOptionAt(words, source, at, line, refusal);
    } else if (!reference && command.info != nullptr && !last &&
               IsOptionWord(*command.info, word)) {
      // "set step 113"
      status = options::ParseOption(*options::FindOption(word), words[at + 1],
                                    command.options);
      ++at;
    } else if (!reference && AddsToList(words, at, line)) {
      // "-select micros bytes"
    } else {
      status = ParsePlainAt(words, source, at, line, refusal);
    }
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

// Whether the program is called as the reference is: by flags that name inputs.
bool NamesReferenceFlag(std::span<const std::string> arguments) {
  for (const std::string& word : arguments) {
    if (word == "--") return false;
    if (options::IsReferenceFlag(options::SplitOptionWord(word).name)) {
      return true;
    }
  }
  return false;
}

// Moves arguments that must be inputs to the inputs.
void MakeOperandsInputs(CommandLine& line) {
  loaders::LoadRequest& inputs = line.flags.inputs;
  std::vector<std::string>& words = line.command.arguments;
  const CommandInfo* info = line.command.info;
  if (info != nullptr && info->name == "diff") {
    // "tfprof diff BASE NEW", "tfprof BASE diff NEW", "tfprof BASE NEW diff":
    // the last one is new, as in a line of text. With --base, or if a flag
    // names the profile, the words are the other side.
    std::vector<std::string>& files = inputs.files;
    std::vector<std::string>& base = line.flags.base;
    std::vector<std::string> named =
        base.empty() ? std::exchange(files, {}) : std::vector<std::string>();
    for (std::string& word : words) named.push_back(std::move(word));
    words.clear();
    if (inputs.empty() && !named.empty()) {
      files.push_back(std::move(named.back()));
      named.pop_back();
    }
    for (std::string& file : named) base.push_back(std::move(file));
    return;
  }
  // `ls FILE`: if no profile is named, an argument that may be missing is one.
  if (info != nullptr && info->inputs == CommandInfo::Inputs::kProfile &&
      info->only_argument.empty() && inputs.empty() &&
      words.size() > info->min_arguments) {
    inputs.files.push_back(std::move(words.back()));
    words.pop_back();
  }
}

// Puts the user's home into the files that the words of a person name.
void FindHome(Command& command) {
  using options::Completes;
  if (command.info != nullptr &&
      (command.info->completes == Completes::kFile ||
       command.info->completes == Completes::kOutputFile)) {
    for (std::string& word : command.arguments) word = options::FromHome(word);
  }
  std::string& file = command.options.record.folder;
  file = options::FromHome(file);
}

// Whether a word of the program's arguments is a line in quotes, as in
// `tfprof FILE "op -limit 3"`.
bool IsLine(std::string_view word, bool after_file) {
  const std::vector<std::string> words = options::SplitWords(word);
  if (words.size() < 2) return false;
  // Alone it is more often a file that is not there.
  return FindCommand(words[0]) != nullptr ||
         (after_file && CommandMeantBy(words[0]) != nullptr);
}

// The arguments, with the words of a line in quotes for the line.
absl::StatusOr<std::vector<std::string>> WithWordsOfLine(
    std::span<const std::string> arguments, const Source& source,
    Refusal* refusal) {
  std::vector<std::string> words(arguments.begin(), arguments.end());
  bool after_file = false;
  for (size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--" || FindCommand(word) != nullptr) break;
    if (word.starts_with('-')) {
      const options::OptionWord split = options::SplitOptionWord(word);
      const options::FlagInfo* flag = options::FindFlag(split.name);
      const bool is_switch =
          flag != nullptr
              ? flag->is_switch
              : split.option != nullptr &&
                    split.option->kind == options::OptionKind::kFlag;
      if (!split.value.has_value() && !is_switch) ++at;
      continue;
    }
    if ((source.exists && source.exists(word)) || !IsLine(word, after_file)) {
      after_file = true;
      continue;
    }
    absl::StatusOr<Line> line = SplitLine(word);
    if (!line.ok()) return line.status();
    if (line->redirection.kind != Redirection::Kind::kNone) {
      return absl::InvalidArgumentError(fmt::format(
          "\"{}\": here | and > are for your shell, outside of the quotes: "
          "tfprof FILE {} > FILE",
          util::SafeText(word), line->words[0]));
    }
    // No word of a line is an input.
    CommandLine alone;
    absl::Status good = ParseWords(line->words, {}, alone, refusal);
    if (!good.ok()) return good;
    for (std::string& part : line->words) part = options::Unquote(part);
    words.erase(words.begin() + static_cast<ptrdiff_t>(at));
    words.insert(words.begin() + static_cast<ptrdiff_t>(at),
                 line->words.begin(), line->words.end());
    break;
  }
  return words;
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
  FindHome(line.command);
  if (status.ok()) status = FinishCommand(line.command);
  if (status.ok()) status = CheckCommand(line.command);
  if (!status.ok()) return status;
  NoteUnread(line.given, line.command);
  return std::move(line.command);
}

absl::StatusOr<CommandLine> ParseCommandLine(
    std::span<const std::string> arguments, const options::Options& defaults,
    const std::function<bool(const std::string& word)>& exists,
    Refusal* refusal) {
  using Inputs = CommandInfo::Inputs;
  CommandLine line;
  line.command.options = defaults;
  // The flags decide the language of all other words.
  const bool by_flags = NamesReferenceFlag(arguments);
  line.command.options.reference |= by_flags;
  const Source source = {.program = true, .exists = exists};
  std::vector<std::string> words(arguments.begin(), arguments.end());
  if (!by_flags) {
    absl::StatusOr<std::vector<std::string>> all =
        WithWordsOfLine(arguments, source, refusal);
    if (!all.ok()) return all.status();
    words = *std::move(all);
  }
  absl::Status status = ParseWords(words, source, line, refusal);
  if (!status.ok()) return status;
  if (line.help || line.version) return line;
  // Among files that are named without a flag, it is our command line.
  if (by_flags && !line.flags.inputs.files.empty()) {
    line.command.options.reference = defaults.reference;
  }
  FindHome(line.command);
  MakeOperandsInputs(line);
  for (auto* const files : {&line.flags.inputs.files, &line.flags.base}) {
    for (std::string& file : *files) {
      if (!exists || !exists(file)) file = options::FromHome(file);
    }
  }
  const CommandInfo* info = line.command.info;
  const loaders::LoadRequest& inputs = line.flags.inputs;
  status = FinishCommand(line.command);
  if (status.ok()) status = CheckCommand(line.command);
  if (!status.ok()) return status;
  NoteUnread(line.given, line.command);
  if (info == nullptr) return line;
  if (info->inputs == Inputs::kNone &&
      (!inputs.empty() || !line.flags.base.empty())) {
    return absl::InvalidArgumentError(fmt::format(
        "{} takes {} and nothing else: tfprof {} {}; one of several files is "
        "written FILE,FILE",
        info->name, info->arguments, info->name, info->arguments));
  }
  if (!line.flags.script.empty()) {
    const bool is_format = std::ranges::any_of(
        options::OutputTable(), [&](const options::OutputInfo& output) {
          return output.name == line.flags.script;
        });
    return absl::InvalidArgumentError(fmt::format(
        "give either a command ({}) or a script (-f {}){}", info->name,
        line.flags.script,
        is_format ? fmt::format("; a format is -output {}", line.flags.script)
                  : ""));
  }
  return line;
}

}  // namespace tfprof::commands
