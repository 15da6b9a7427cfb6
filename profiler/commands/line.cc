#include "profiler/commands/line.h"

#include <cstddef>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/options/option_word.h"
#include "profiler/options/options.h"
#include "profiler/options/words.h"

namespace tfprof::commands {
namespace {

using Kind = Redirection::Kind;

// Where in a word a sign redirects.
enum class Signs { kAnywhere, kAtItsBegin, kAlone };

bool IsQuote(char c) { return c == '\'' || c == '"'; }
bool IsSign(char c) { return c == '|' || c == '>'; }

std::string_view Trim(std::string_view text) {
  const size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return {};
  return text.substr(begin, text.find_last_not_of(' ') + 1 - begin);
}

// Where the word that begins at `at` ends. Quotes protect blanks and signs; a
// quote that is never closed is an ordinary character.
size_t WordEnd(std::string_view line, size_t at, bool signs_end_it) {
  while (at < line.size() && line[at] != ' ') {
    if (signs_end_it && IsSign(line[at])) break;
    const size_t closing =
        IsQuote(line[at]) ? line.find(line[at], at + 1) : line.npos;
    at = closing == line.npos ? at + 1 : closing + 1;
  }
  return at;
}

size_t SignSize(std::string_view line, size_t at) {
  return line.substr(at).starts_with(">>") ? 2 : 1;
}

// Where signs redirect in the next word, which depends on the words before it.
class SignRules {
 public:
  Signs ForWord(std::string_view word) const {
    if (value_of_ != nullptr) {
      return value_of_->holds_signs ? Signs::kAlone : Signs::kAnywhere;
    }
    const options::OptionWord option = options::SplitOptionWord(word);
    if (option.option != nullptr && option.value.has_value()) {
      return option.option->holds_signs ? Signs::kAlone : Signs::kAnywhere;
    }
    const bool takes_name = command_ != nullptr &&
                            (command_->completes == options::Completes::kNode ||
                             command_->completes == options::Completes::kScope);
    return takes_name && !word.starts_with('-') ? Signs::kAtItsBegin
                                                : Signs::kAnywhere;
  }

  void Read(std::string_view word) {
    if (value_of_ != nullptr) {
      value_of_ = nullptr;
      return;
    }
    if (command_ == nullptr) command_ = FindCommand(word);
    const options::OptionWord option = options::SplitOptionWord(word);
    if (option.option != nullptr && !option.value.has_value() &&
        option.option->kind != options::OptionKind::kFlag) {
      value_of_ = option.option;
    }
  }

 private:
  const CommandInfo* command_ = nullptr;
  const options::Option* value_of_ = nullptr;  // the next word is its value
};

absl::StatusOr<Redirection> ParseRedirection(std::string_view sign,
                                             std::string_view rest) {
  Redirection redirection;
  redirection.kind = sign == "|"   ? Kind::kPipe
                     : sign == ">" ? Kind::kFile
                                   : Kind::kAppend;
  const bool pipe = redirection.kind == Kind::kPipe;
  const std::vector<std::string> words = options::SplitWords(rest);
  if (pipe ? rest.empty() : words.size() != 1) {
    return absl::InvalidArgumentError(
        fmt::format("'{}' needs {} after it", sign,
                    pipe ? "a command" : "the name of one file"));
  }
  redirection.target =
      pipe ? std::string(rest) : options::FromHome(options::Unquote(words[0]));
  return redirection;
}

}  // namespace

absl::StatusOr<Line> SplitLine(std::string_view text) {
  Line line;
  SignRules rules;
  for (size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    if (text[at] == '#') break;  // a comment
    const std::string_view whole =
        text.substr(at, WordEnd(text, at, /*signs_end_it=*/false) - at);
    const Signs signs = rules.ForWord(whole);
    const size_t sign = IsSign(text[at]) ? SignSize(text, at) : 0;
    if (sign > 0 && (signs != Signs::kAlone || whole.size() == sign)) {
      if (line.words.empty()) {
        return absl::InvalidArgumentError(fmt::format(
            "there is no command before '{}'", text.substr(at, sign)));
      }
      absl::StatusOr<Redirection> redirection =
          ParseRedirection(text.substr(at, sign), Trim(text.substr(at + sign)));
      if (!redirection.ok()) return redirection.status();
      line.redirection = *std::move(redirection);
      return line;
    }
    const size_t end = WordEnd(text, at, signs == Signs::kAnywhere);
    line.words.emplace_back(text.substr(at, end - at));
    rules.Read(line.words.back());
    at = end;
  }
  return line;
}

}  // namespace tfprof::commands
