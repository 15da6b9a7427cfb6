#include "profiler/commands/structured.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "profiler/commands/meaning.h"
#include "profiler/options/other_words.h"
#include "util/json/json_reader.h"
#include "util/text/safe_text.h"

namespace tfprof::commands {
namespace {

absl::Status Invalid(const std::string& text) {
  return absl::InvalidArgumentError(text);
}

absl::Status CheckArguments(const CommandInfo& info,
                            const std::vector<std::string>& arguments) {
  const bool fit =
      arguments.size() <= info.max_arguments &&
      (info.only_argument.empty() ||
       std::all_of(arguments.begin(), arguments.end(),
                   [&](const auto& a) { return a == info.only_argument; }));
  if (fit) return absl::OkStatus();
  return Invalid(
      fmt::format("{} takes {}; found {} argument{}", info.name,
                  info.arguments.empty() ? "no arguments" : info.arguments,
                  arguments.size(), arguments.size() == 1 ? "" : "s"));
}

}  // namespace

absl::StatusOr<std::vector<std::string>> ReadTexts(std::string_view name,
                                                   std::string_view json) {
  std::vector<std::string> texts;
  util::JsonReader reader(json);
  const auto read = [&] {
    std::string_view raw;
    std::string buffer;
    const bool word = reader.Peek() == util::JsonReader::Kind::kWord;
    if (!reader.ReadScalar(raw) || (word && raw == "null")) return false;
    texts.emplace_back(util::DecodeJsonString(raw, buffer));
    return true;
  };
  bool good = true;
  if (reader.EnterArray()) {
    while (good && reader.NextElement()) good = read();
  } else {
    good = read();
  }
  if (!good || reader.damaged()) {
    return Invalid(fmt::format(
        "\"{}\" is a string, a number, true, false, or an array of them",
        util::SafeText(name)));
  }
  return texts;
}

absl::StatusOr<Command> MakeCommand(std::string_view name,
                                    std::vector<std::string> arguments,
                                    std::span<const GivenOption> options,
                                    const options::Options& defaults) {
  Command command = {
      .info = FindCommand(name), .options = defaults, .arguments = {}};
  std::string first;
  if (command.info == nullptr) command.info = CommandMeantBy(name, &first);
  if (command.info == nullptr) {
    return Invalid(fmt::format("there is no command \"{}\"; {}",
                               util::SafeText(name), CommandHint(name)));
  }
  if (!first.empty()) arguments.insert(arguments.begin(), std::move(first));
  for (const GivenOption& given : options) {
    const options::Option* option = options::FindOption(given.name);
    if (option == nullptr) {
      const std::string hint = options::OptionHint(given.name, "");
      return Invalid(fmt::format("there is no option \"{}\"{}{}",
                                 util::SafeText(given.name),
                                 hint.empty() ? "" : "; ", hint));
    }
    absl::Status set =
        given.is_word
            ? options::ParseOption(*option, given.values[0], command.options)
            : options::SetOption(*option, given.values, command.options);
    if (!set.ok()) return set;
  }
  absl::Status fit = CheckArguments(*command.info, arguments);
  if (!fit.ok()) return fit;
  command.arguments = std::move(arguments);
  absl::Status finished = FinishCommand(command);
  if (!finished.ok()) return finished;
  absl::Status checked = CheckCommand(command);
  if (!checked.ok()) return checked;
  return command;
}

}  // namespace tfprof::commands
