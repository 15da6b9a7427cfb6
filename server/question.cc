#include "server/question.h"

#include <charconv>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "profiler/commands/help/commands_json.h"
#include "profiler/commands/help/glossary.h"
#include "profiler/commands/structured.h"
#include "profiler/mcp/tools.h"
#include "profiler/options/options.h"

namespace tfprof::server {
namespace {

absl::Status Invalid(const std::string& text) {
  return absl::InvalidArgumentError(text);
}

// Returns false if the server has no such parameter of its own.
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

}  // namespace

bool IsServed(const commands::CommandInfo& command) {
  return mcp::IsTool(command);
}

absl::StatusOr<Question> ParseQuestion(std::string_view command,
                                       const HttpRequest& request) {
  const commands::CommandInfo* info = commands::FindCommand(command);
  if (info == nullptr || !IsServed(*info)) {
    return absl::NotFoundError(
        fmt::format("there is no command '{}' here", command));
  }
  Question question;
  std::vector<commands::GivenOption> options;
  std::vector<std::string> plain;
  for (const auto& [name, value] : request.query) {
    const absl::StatusOr<bool> taken = TakeOwn(name, value, question);
    if (!taken.ok()) return taken.status();
    if (*taken) continue;
    const options::Option* option = options::FindOption(name);
    if (name == "argument" && info->max_arguments > 0) {
      plain.push_back(value);
    } else if (option != nullptr && mcp::IsToolOption(*info, *option)) {
      options.push_back({.name = name, .values = {value}, .is_word = true});
    } else {
      return Invalid(fmt::format(
          "{} has no option '{}'{}", info->name, name,
          mcp::ToolOptionHint(
              *info, name,
              {"profile", "base", "table", "find", "sort", "from", "count"})));
    }
  }
  options::Options defaults;
  defaults.output.type = options::OutputSpec::Type::kJson;
  absl::StatusOr<commands::Command> made =
      commands::MakeCommand(info->name, std::move(plain), options, defaults);
  if (!made.ok()) return made.status();
  const std::vector<std::string> wrong =
      commands::RegexNotes(made->options.view);
  if (!wrong.empty()) return Invalid(wrong[0]);
  question.command = *std::move(made);
  return question;
}

std::string ServedCatalogJson() {
  return commands::CatalogJson(IsServed, mcp::IsToolOption,
                               commands::Glossary());
}

}  // namespace tfprof::server
