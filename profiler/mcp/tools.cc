#include "profiler/mcp/tools.h"

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "profiler/commands/help/commands_json.h"
#include "profiler/commands/structured.h"
#include "profiler/options/options.h"
#include "util/json/json_reader.h"
#include "util/json/json_string.h"
#include "util/text/edit_distance.h"

namespace tfprof::mcp {
namespace {

constexpr std::string_view kProfile = "profile";
constexpr std::string_view kArguments = "arguments";

// The server decides where an answer goes and how it looks, and the user names
// the folders with source files. The options of `memory` only choose what it
// answers.
constexpr unsigned kNoToolOptions =
    options::kOutputOptions | options::kColorOption | options::kSourceOption |
    options::kShareOptions | (options::kOwnOptions & ~options::kMemoryOptions);

// "enum", "items" and the like: the type of the option's values in a schema.
std::string OptionTypeJson(const options::Option& option) {
  const std::vector<std::string> choices = options::OptionChoices(option);
  std::string of_string = R"("type":"string")";
  if (!choices.empty() && option.group != options::kThresholdOptions) {
    of_string += ",\"enum\":[";
    for (size_t i = 0; i < choices.size(); ++i) {
      of_string +=
          fmt::format("{}{}", i == 0 ? "" : ",", util::JsonString(choices[i]));
    }
    of_string += ']';
  }
  switch (commands::ValueKindOf(option)) {
    case commands::ValueKind::kList:
      return fmt::format(R"("type":"array","items":{{{}}})", of_string);
    case commands::ValueKind::kBoolean:
      return R"("type":"boolean")";
    case commands::ValueKind::kInteger:
      // -step also takes "all".
      return option.kind == options::OptionKind::kInt64
                 ? R"("type":["integer","string"])"
                 : R"("type":"integer")";
    case commands::ValueKind::kText:
      break;
  }
  return of_string;
}

std::string PropertyJson(std::string_view name, std::string_view type,
                         std::string_view help) {
  return fmt::format(R"({}:{{{},"description":{}}})", util::JsonString(name),
                     type, util::JsonString(help));
}

std::string ToolJson(const commands::CommandInfo& command, bool one_profile) {
  std::string properties =
      PropertyJson(kProfile, R"("type":"string")",
                   one_profile ? "May be left out: there is one profile."
                               : "A path that the tool `profiles` lists.");
  std::vector<std::string> required;
  if (!one_profile) required.push_back(util::JsonString(kProfile));
  if (command.max_arguments > 0) {
    properties += ',';
    properties += PropertyJson(
        kArguments, R"("type":"array","items":{"type":"string"})",
        command.only_argument.empty()
            ? command.arguments
            : fmt::format("Nothing, or \"{}\".", command.only_argument));
    if (command.min_arguments > 0)
      required.push_back(util::JsonString(kArguments));
  }
  for (const options::Option& option : options::OptionTable()) {
    if (!IsToolOption(command, option)) continue;
    properties += ',';
    properties +=
        PropertyJson(option.name, OptionTypeJson(option), option.help);
  }
  return fmt::format(
      R"({{"name":{},"description":{},"inputSchema":{{"type":"object",)"
      R"("properties":{{{}}},"required":[{}],"additionalProperties":false}},)"
      R"("annotations":{{"readOnlyHint":true}}}})",
      util::JsonString(command.name),
      util::JsonString(fmt::format("{} {}", command.help, command.answers)),
      properties, fmt::join(required, ","));
}

absl::Status Invalid(const std::string& text) {
  return absl::InvalidArgumentError(text);
}

const options::Option* FindToolOption(const commands::CommandInfo& command,
                                      std::string_view name) {
  const options::Option* option = options::FindOption(name);
  return option != nullptr && IsToolOption(command, *option) ? option : nullptr;
}

}  // namespace

bool IsToolOption(const commands::CommandInfo& command,
                  const options::Option& option) {
  return commands::Uses(command, option) &&
         ((option.group & kNoToolOptions) == 0 ||
          option.group == options::kPeaksOption);
}

std::string ToolOptionHint(const commands::CommandInfo& command,
                           std::string_view name,
                           std::vector<std::string> others) {
  for (const options::Option& option : options::OptionTable()) {
    if (IsToolOption(command, option)) others.emplace_back(option.name);
  }
  return util::NearestHint(name, others);
}

bool IsTool(const commands::CommandInfo& command) {
  // A command without -output is for people at a terminal.
  return command.one_shot &&
         command.inputs == commands::CommandInfo::Inputs::kProfile &&
         (command.options & options::kOutputOptions) != 0 &&
         (command.options &
          (options::kConvertOptions | options::kCheckOptions)) == 0 &&
         command.completes != options::Completes::kOutputFile &&
         // A client names profiles, never other files.
         command.completes != options::Completes::kFile;
}

std::string ToolsJson(bool one_profile) {
  std::string tools =
      R"([{"name":"profiles","description":"The profiles that can be opened.",)"
      R"("inputSchema":{"type":"object","properties":{}},)"
      R"("annotations":{"readOnlyHint":true}})";
  for (const commands::CommandInfo* command : commands::CommandTable()) {
    if (!IsTool(*command)) continue;
    tools += ',';
    tools += ToolJson(*command, one_profile);
  }
  return tools + "]";
}

absl::StatusOr<ToolCall> ParseToolCall(std::string_view name,
                                       std::string_view arguments) {
  const commands::CommandInfo* info = commands::FindCommand(name);
  if (info == nullptr || !IsTool(*info)) {
    return Invalid(fmt::format("there is no tool \"{}\"", name));
  }
  ToolCall call;
  std::vector<commands::GivenOption> options;
  std::vector<std::string> plain;
  util::JsonReader reader(arguments.empty() ? std::string_view("{}")
                                            : arguments);
  if (!reader.EnterObject()) return Invalid("arguments are not an object");
  for (std::string_view raw; reader.NextMember(raw);) {
    std::string buffer;
    const std::string key(util::DecodeJsonString(raw, buffer));
    const std::string_view value = reader.Skip();
    auto list = commands::ReadTexts(key, value);
    if (!list.ok()) return list.status();
    if (key == kProfile) {
      if (list->size() != 1) return Invalid("\"profile\" is one path");
      call.profile = (*list)[0];
    } else if (key == kArguments && info->max_arguments > 0) {
      plain = *std::move(list);
    } else if (FindToolOption(*info, key) != nullptr) {
      options.push_back({key, *std::move(list)});
    } else {
      std::vector<std::string> others = {std::string(kProfile)};
      if (info->max_arguments > 0) others.emplace_back(kArguments);
      return Invalid(fmt::format("{} has no property \"{}\"{}", info->name, key,
                                 ToolOptionHint(*info, key, others)));
    }
  }
  if (reader.damaged()) return Invalid(reader.Describe());
  options::Options defaults;
  defaults.agent = true;
  auto command =
      commands::MakeCommand(info->name, std::move(plain), options, defaults);
  if (!command.ok()) return command.status();
  call.command = *std::move(command);
  return call;
}

}  // namespace tfprof::mcp
