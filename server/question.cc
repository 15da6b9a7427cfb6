#include "server/question.h"

#include <charconv>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "profiler/commands/parse.h"
#include "profiler/mcp/tools.h"
#include "profiler/options/options.h"
#include "util/edit_distance.h"
#include "util/json_string.h"

namespace tfprof {
namespace {

absl::Status Invalid(std::string text) {
  return absl::InvalidArgumentError(std::move(text));
}

// False: not a parameter of the server.
absl::StatusOr<bool> TakeOwn(const std::string& name, const std::string& value,
                             Question& question) {
  const auto number = [&](size_t& field) -> absl::Status {
    const char* stop = value.data() + value.size();
    const auto [at, error] = std::from_chars(value.data(), stop, field);
    if (error == std::errc() && at == stop) return absl::OkStatus();
    return Invalid(fmt::format("{} is a number, not '{}'", name, value));
  };
  absl::Status status;
  if (name == "profile") {
    question.profile = value;
  } else if (name == "base") {
    question.base = value;
  } else if (name == "table") {
    question.page.table = value;
  } else if (name == "find") {
    question.page.find = value;
  } else if (name == "sort") {
    question.page.descending = value.starts_with('-');
    question.page.sort = value.substr(question.page.descending ? 1 : 0);
  } else if (name == "from") {
    status = number(question.page.from);
  } else if (name == "count") {
    status = number(question.page.count);
    if (question.page.count > kMaxPageRows) {
      status = Invalid(fmt::format("count is at most {}", kMaxPageRows));
    }
  } else {
    return false;
  }
  if (!status.ok()) return status;
  return true;
}

std::string Unknown(const CommandInfo& command, const std::string& name) {
  std::vector<std::string> names = {"profile", "base", "table", "find",
                                    "sort",    "from", "count"};
  for (const Option& option : OptionTable()) {
    if (IsToolOption(command, option)) names.emplace_back(option.name);
  }
  const std::string near = DidYouMean(Nearest(name, names));
  return fmt::format("{} has no option '{}'{}{}", command.name, name,
                     near.empty() ? "" : "; ", near);
}

}  // namespace

bool IsServed(const CommandInfo& command) {
  return IsTool(command) && (command.options & kSourceOption) == 0;
}

absl::StatusOr<Question> ParseQuestion(std::string_view command,
                                       const HttpRequest& request) {
  const CommandInfo* info = FindCommand(command);
  if (info == nullptr || !IsServed(*info)) {
    return absl::NotFoundError(
        fmt::format("there is no command '{}' here", command));
  }
  Question question;
  // The input in front keeps the parser from taking a word for one.
  std::vector<std::string> words = {"./profile", std::string(info->name)};
  std::vector<std::string> plain;
  for (const auto& [name, value] : request.query) {
    const absl::StatusOr<bool> taken = TakeOwn(name, value, question);
    if (!taken.ok()) return taken.status();
    if (*taken) continue;
    const Option* option = FindOption(name);
    if (name == "argument" && info->max_arguments > 0) {
      plain.push_back(value);
    } else if (option != nullptr && IsToolOption(*info, *option)) {
      words.push_back(fmt::format("-{}={}", name, value));
    } else {
      return Invalid(Unknown(*info, name));
    }
  }
  // What follows cannot be an option, an input or a flag.
  words.emplace_back("--");
  words.insert(words.end(), plain.begin(), plain.end());
  Options defaults;
  defaults.output.type = OutputSpec::Type::kJson;
  absl::StatusOr<CommandLine> line = ParseCommandLine(words, defaults);
  if (!line.ok()) return line.status();
  if (line->command.arguments.size() != plain.size()) {
    return Invalid(fmt::format(
        "{} takes {}", info->name,
        info->arguments.empty() ? "no arguments" : info->arguments));
  }
  const std::vector<std::string> wrong = RegexNotes(line->command.options.view);
  if (!wrong.empty()) return Invalid(wrong[0]);
  question.command = std::move(line->command);
  return question;
}

std::string CatalogJson() {
  static const Options kDefaults;
  std::string commands, options;
  for (const CommandInfo* command : CommandTable()) {
    if (!IsServed(*command)) continue;
    std::string names;
    for (const Option& option : OptionTable()) {
      if (!IsToolOption(*command, option)) continue;
      names += names.empty() ? "" : ",";
      names += JsonString(option.name);
    }
    commands += commands.empty() ? "" : ",\n";
    commands += fmt::format(
        R"({{"name":{},"help":{},"answers":{},"arguments":{},"options":[{}]}})",
        JsonString(command->name), JsonString(command->help),
        JsonString(command->answers), JsonString(command->arguments), names);
  }
  for (const Option& option : OptionTable()) {
    options += options.empty() ? "" : ",\n";
    options += fmt::format(
        R"({{"name":{},"help":{},"value":{},"default":{},{}}})",
        JsonString(option.name), JsonString(option.help),
        JsonString(option.value_name), JsonString(option.format(kDefaults)),
        OptionTypeJson(option));
  }
  return fmt::format("{{\"commands\":[\n{}\n],\n\"options\":[\n{}\n]}}\n",
                     commands, options);
}

}  // namespace tfprof
