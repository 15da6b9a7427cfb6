#include "profiler/shell/terminal/completion.h"

#include <dirent.h>
#include <sys/stat.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "advisor/checker.h"
#include "advisor/checkers/registry.h"
#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/options/option_word.h"
#include "profiler/options/options.h"
#include "profiler/options/words.h"
#include "profiler/shell/terminal/regex_text.h"

namespace tfprof::shell {
namespace {

using Spell = std::function<std::string(std::string_view)>;

bool IsQuote(char c) { return c == '\'' || c == '"'; }

std::string AsItIs(std::string_view text) { return std::string(text); }

// The beginning of `text` that can be typed: a terminal takes no control
// characters, and no bytes that are not UTF-8.
std::string_view Typeable(std::string_view text) {
  size_t end = 0;
  while (end < text.size()) {
    const size_t size = CharacterSize(text.substr(end));
    if (size == 0) break;
    const auto c = static_cast<unsigned char>(text[end]);
    if (c < 0x20 || c == 0x7f) break;
    end += size;
  }
  return text.substr(0, end);
}

bool IsTypeable(std::string_view text) {
  return Typeable(text).size() == text.size();
}

// The answer when `stem`, which begins at `begin` of the line, is a prefix of
// some of `words`.
Completion FromWords(size_t begin, std::string_view stem,
                     std::span<const std::string> words,
                     const Spell& spell = AsItIs) {
  Completion completion{.begin = begin};
  std::string_view common;
  for (const std::string& word : words) {
    if (!word.starts_with(stem)) continue;
    if (completion.total++ == 0) common = word;
    size_t same = 0;
    while (same < std::min(common.size(), word.size()) &&
           common[same] == word[same]) {
      ++same;
    }
    common = common.substr(0, same);
    if (completion.listed.size() < kMaxListed) {
      completion.listed.push_back(word);
    }
  }
  completion.common = spell(common);
  completion.whole = completion.total == 1;
  return completion;
}

// The same for names of the profile: of a path, only the last part is listed.
Completion FromNames(size_t begin, const NameMatches& matches,
                     std::string_view stem, char separator,
                     const Spell& spell) {
  Completion completion{.begin = begin};
  completion.total = matches.total;
  completion.common = spell(matches.common);
  completion.whole = matches.total == 1 && !matches.open;
  const size_t scope =
      separator == '\0' ? 0 : stem.rfind(separator) + 1;  // npos + 1 == 0
  for (const std::string& name : matches.names) {
    completion.listed.push_back(name.substr(std::min(scope, name.size())));
  }
  return completion;
}

// The kind of names that the rows of a command's view have.
NameIndex::Kind RowsOf(const commands::CommandInfo* command) {
  if (command == nullptr) return NameIndex::Kind::kNodes;
  return command->view == views::View::kOp     ? NameIndex::Kind::kTypes
         : command->view == views::View::kCode ? NameIndex::Kind::kCode
                                               : NameIndex::Kind::kNodes;
}

class Completer {
 public:
  Completer(std::string_view line, const CompletionContext& context)
      : line_(line), context_(context) {}

  Completion Run() {
    begin_ = options::OpenWord(line_);
    if (begin_ == line_.npos) return {};
    const std::vector<std::string> words =
        options::SplitWords(line_.substr(0, begin_));
    if (words.empty()) return FromWords(begin_, Stem(), CommandNames());
    command_ = commands::FindCommand(words[0]);
    // After an option comes its value.
    if (words.size() > 1 && words.back()[0] == '-') {
      const options::OptionWord last = options::SplitOptionWord(words.back());
      const options::Option* option = last.option;
      if (option != nullptr && !last.value.has_value() && !last.two_dashes) {
        Completion value = Value(*option);
        // A list in quotes goes on until its quote.
        if (IsQuoted() &&
            option->completes != options::Completes::kOutputFile) {
          value.whole = false;
        }
        // The value of a boolean may be missing.
        if (option->kind != options::OptionKind::kFlag || value.total > 0)
          return value;
      }
    }
    if (command_ == nullptr) return {};
    if (Stem().starts_with('-')) {
      const options::OptionWord word = options::SplitOptionWord(Stem());
      if (word.option == nullptr || word.two_dashes ||
          !word.value.has_value()) {
        return FromWords(begin_, Stem(), OptionWords());
      }
      // "-step=": its value, as after a blank.
      begin_ = line_.size() - word.value->size();
      Completion value = Value(*word.option);
      if (IsQuoted()) value.whole = false;
      return value;
    }
    return Plain();
  }

 private:
  std::string_view Stem() const { return line_.substr(begin_); }
  bool IsQuoted() const { return !Stem().empty() && IsQuote(Stem()[0]); }

  static std::vector<std::string> CommandNames() {
    std::vector<std::string> names;
    for (const commands::CommandInfo* c : commands::CommandTable())
      names.emplace_back(c->name);
    return names;
  }

  std::vector<std::string> OptionWords() const {
    std::vector<std::string> words;
    for (const options::Option& o : options::OptionTable()) {
      if (commands::Uses(*command_, o))
        words.push_back(fmt::format("-{}", o.name));
    }
    return words;
  }

  Completion Plain() const {
    switch (command_->completes) {
      case options::Completes::kNode:
        return Names(NameIndex::Kind::kNodes);
      case options::Completes::kScope:
        return Names(NameIndex::Kind::kScopes);
      case options::Completes::kFile:
      case options::Completes::kOutputFile:
        return Files(begin_);
      case options::Completes::kTopic:
        return FromWords(begin_, Stem(), Topics());
      default:
        break;
    }
    std::vector<std::string> words;
    if (!command_->only_argument.empty()) {
      words.emplace_back(command_->only_argument);
    }
    for (std::string& option : OptionWords()) {
      words.push_back(std::move(option));
    }
    return FromWords(begin_, Stem(), words);
  }

  std::vector<std::string> Topics() const {
    std::vector<std::string> topics = CommandNames();
    for (const options::Option& o : options::OptionTable())
      topics.emplace_back(o.name);
    for (const advisor::Checker* checker : advisor::Checkers()) {
      topics.push_back(fmt::format("advise.{}", checker->name));
      for (const advisor::Rule& rule : checker->rules) {
        topics.push_back(fmt::format("advise.{}", rule.id));
      }
    }
    return topics;
  }

  Completion Value(const options::Option& option) const {
    switch (option.completes) {
      case options::Completes::kStep:
        return FromWords(begin_, Stem(), Steps());
      case options::Completes::kType:
        return Regex(NameIndex::Kind::kTypes);
      case options::Completes::kRow:
        return Regex(RowsOf(command_));
      case options::Completes::kFile:
      case options::Completes::kOutputFile:
        return Files(begin_);
      case options::Completes::kOutput:
        return Output(option);
      default:
        break;
    }
    size_t begin = begin_;
    if (options::IsList(option)) {
      begin = ElementBegin();
    } else if (IsQuoted()) {
      ++begin;
    }
    return FromWords(begin, line_.substr(begin),
                     options::OptionChoices(option));
  }

  // Where the last element of the list at the end of the line begins.
  size_t ElementBegin() const {
    const size_t comma = Stem().rfind(',');
    size_t begin = comma == line_.npos ? begin_ : begin_ + comma + 1;
    while (begin < line_.size() && IsQuote(line_[begin])) ++begin;
    return begin;
  }

  std::vector<std::string> Steps() const {
    if (context_.names == nullptr) return {};
    std::vector<std::string> steps;
    for (const auto& step : context_.names->profile().steps()) {
      if (step->listed) steps.push_back(fmt::format("{}", step->id));
    }
    steps.emplace_back("-1");
    return steps;
  }

  Completion Regex(NameIndex::Kind kind) const {
    if (context_.names == nullptr) return {};
    size_t begin = ElementBegin();
    constexpr std::string_view kAnything = ".*";
    const bool anywhere = line_.substr(begin).starts_with(kAnything);
    if (anywhere) begin += kAnything.size();
    const std::optional<std::string> stem = NameOfRegex(line_.substr(begin));
    if (!stem || (anywhere && stem->empty())) return {};
    Completion completion = FromNames(
        begin, context_.names->Complete(kind, *stem, kMaxListed, anywhere),
        *stem, anywhere ? '\0' : NameIndex::SeparatorOf(kind), RegexOfName);
    // The text after a part of a name is not known.
    if (anywhere) completion.whole = false;
    return completion;
  }

  // A name as a plain word.
  Completion Names(NameIndex::Kind kind) const {
    if (context_.names == nullptr) return {};
    const std::string_view typed = Stem().substr(IsQuoted() ? 1 : 0);
    const std::string stem = context_.scope + std::string(typed);
    NameMatches matches = context_.names->Complete(kind, stem, kMaxListed);
    const bool whole = matches.total == 1 && !matches.open;
    const bool typeable = IsTypeable(matches.common);
    Completion completion = FromNames(
        begin_, matches, stem, NameIndex::SeparatorOf(kind),
        [&](std::string_view name) {
          name.remove_prefix(std::min(context_.scope.size(), name.size()));
          return Word(name, whole);
        });
    completion.whole &= typeable;
    return completion;
  }

  // `text` as a word of the line: in quotes if the user typed one, or if it
  // needs them. The quote is closed after a whole word.
  std::string Word(std::string_view text, bool whole) const {
    std::string quote;
    if (IsQuoted()) {
      quote = Stem()[0];
    } else if (text.find_first_of(" '\"|>") != text.npos ||
               text.starts_with('#')) {
      quote = text.find('\'') == text.npos ? "'" : "\"";
    }
    const std::string_view typeable = Typeable(text);
    const bool close = whole && IsTypeable(text);
    return fmt::format("{}{}{}", quote, typeable, close ? quote : "");
  }

  // TYPE or TYPE:key=value,…; only the values of `outfile` can be completed.
  Completion Output(const options::Option& option) const {
    size_t begin = begin_;
    while (begin < line_.size() && IsQuote(line_[begin])) ++begin;
    const size_t colon = line_.find(':', begin);
    if (colon != line_.npos) {
      constexpr std::string_view kKey = "outfile=";
      const size_t key = line_.find_last_of(":,") + 1;
      if (line_.substr(key).starts_with(kKey)) return Files(key + kKey.size());
      Completion completion = FromWords(
          key, line_.substr(key), std::vector<std::string>{std::string(kKey)});
      completion.whole = false;
      return completion;
    }
    Completion completion =
        FromWords(begin, line_.substr(begin), options::OptionChoices(option));
    if (completion.total == 1 && options::NeedsOutfile(completion.common)) {
      completion.common += ":outfile=";
      completion.whole = false;
    }
    return completion;
  }

  // Files; the typed path begins at `begin`. Hidden files only after a dot.
  Completion Files(size_t begin) const {
    if (begin == begin_ && IsQuoted()) ++begin;
    const std::string_view stem = line_.substr(begin);
    const size_t slash = stem.rfind('/') + 1;  // npos + 1 == 0
    const std::string folder(slash == 0 ? "." : stem.substr(0, slash));
    std::vector<std::string> names;
    const std::unique_ptr<DIR, int (*)(DIR*)> dir(opendir(folder.c_str()),
                                                  closedir);
    if (dir == nullptr) return {};
    while (const dirent* entry = readdir(dir.get())) {
      std::string name = entry->d_name;
      if (name == "." || name == ".." ||
          !name.starts_with(stem.substr(slash)) ||
          (name[0] == '.' && slash == stem.size())) {
        continue;
      }
      struct stat info;
      if (stat((folder + "/" + name).c_str(), &info) == 0 &&
          S_ISDIR(info.st_mode)) {
        name += '/';
      }
      names.push_back(std::move(name));
    }
    std::sort(names.begin(), names.end());
    Completion completion = FromWords(begin + slash, stem.substr(slash), names);
    completion.whole =
        completion.total == 1 && !completion.common.ends_with('/');
    // Replace the whole word, because a blank in it needs a quote before it.
    const size_t text = begin_ + (IsQuoted() ? 1 : 0);
    const std::string path = fmt::format(
        "{}{}", line_.substr(text, begin + slash - text), completion.common);
    completion.begin = begin_;
    completion.common = Word(path, completion.whole);
    completion.whole &= IsTypeable(path);
    return completion;
  }

  const std::string_view line_;
  const CompletionContext& context_;
  size_t begin_ = 0;  // of the word to complete
  const commands::CommandInfo* command_ = nullptr;
};

}  // namespace

Completion Complete(std::string_view line, const CompletionContext& context) {
  return Completer(line, context).Run();
}

}  // namespace tfprof::shell
