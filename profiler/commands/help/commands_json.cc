#include "profiler/commands/help/commands_json.h"

#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/options/options.h"
#include "util/json/json_string.h"

namespace tfprof {
namespace {

std::string_view NameOf(ValueKind kind) {
  switch (kind) {
    case ValueKind::kInteger:
      return "integer";
    case ValueKind::kBoolean:
      return "boolean";
    case ValueKind::kList:
      return "list";
    case ValueKind::kText:
      break;
  }
  return "text";
}

std::string ListJson(const std::vector<std::string>& texts) {
  std::vector<std::string> strings;
  for (const std::string& text : texts) strings.push_back(JsonString(text));
  return fmt::format("[{}]", fmt::join(strings, ","));
}

std::string CommandJson(const CommandInfo& command,
                        bool (*takes)(const CommandInfo&, const Option&)) {
  std::vector<std::string> options;
  for (const Option& option : OptionTable()) {
    if (takes(command, option)) options.emplace_back(option.name);
  }
  return fmt::format(
      R"({{"name":{},"arguments":{},"min_arguments":{},"max_arguments":{},)"
      R"("needs_profile":{},"gives_answer":{},"help":{},"answers":{},)"
      R"("options":{}}})",
      JsonString(command.name), JsonString(command.arguments),
      command.min_arguments, command.max_arguments,
      command.inputs == CommandInfo::Inputs::kProfile,
      (command.options & kOutputOptions) != 0, JsonString(command.help),
      JsonString(command.answers), ListJson(options));
}

std::string OptionJson(const Option& option) {
  return fmt::format(
      R"({{"name":{},"kind":{},"value":{},"default":{},"choices":{},)"
      R"("help":{}}})",
      JsonString(option.name), JsonString(NameOf(ValueKindOf(option))),
      JsonString(option.value_name), JsonString(option.format(Options())),
      ListJson(OptionChoices(option)), JsonString(option.help));
}

}  // namespace

ValueKind ValueKindOf(const Option& option) {
  // -device_peaks is a pair, which is written as one text.
  if (TakesList(option) && option.group != kPeaksOption) {
    return ValueKind::kList;
  }
  switch (option.kind) {
    case OptionKind::kInt32:
    case OptionKind::kInt64:
      return ValueKind::kInteger;
    case OptionKind::kFlag:
      return ValueKind::kBoolean;
    default:
      return ValueKind::kText;
  }
}

std::string CatalogJson(bool (*has)(const CommandInfo& command),
                        bool (*takes)(const CommandInfo& command,
                                      const Option& option)) {
  std::vector<std::string> commands;
  for (const CommandInfo* command : CommandTable()) {
    if (has(*command)) commands.push_back(CommandJson(*command, takes));
  }
  std::vector<std::string> options;
  for (const Option& option : OptionTable()) {
    options.push_back(OptionJson(option));
  }
  return fmt::format("{{\"commands\":[\n{}\n],\n\"options\":[\n{}\n]}}\n",
                     fmt::join(commands, ",\n"), fmt::join(options, ",\n"));
}

std::string CommandsJson() {
  return CatalogJson(
      [](const CommandInfo& command) { return command.one_shot; }, Uses);
}

}  // namespace tfprof
