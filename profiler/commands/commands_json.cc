#include "profiler/commands/commands_json.h"

#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/options/options.h"
#include "util/json_string.h"

namespace tfprof {
namespace {

std::string_view KindName(const Option& option) {
  if (option.kind == OptionKind::kRule ||
      option.value_name.ends_with("\u2026")) {
    return "list";
  }
  switch (option.kind) {
    case OptionKind::kInt32:
    case OptionKind::kInt64:
      return "integer";
    case OptionKind::kBool:
      return "boolean";
    default:
      return "text";
  }
}

std::string ListJson(const std::vector<std::string>& texts) {
  std::vector<std::string> strings;
  for (const std::string& text : texts) strings.push_back(JsonString(text));
  return fmt::format("[{}]", fmt::join(strings, ","));
}

std::string CommandJson(const CommandInfo& command) {
  std::vector<std::string> options;
  for (const Option& option : OptionTable()) {
    if (Uses(command, option)) options.emplace_back(option.name);
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
      JsonString(option.name), JsonString(KindName(option)),
      JsonString(option.value_name), JsonString(option.format(Options())),
      ListJson(OptionChoices(option)), JsonString(option.help));
}

}  // namespace

std::string CommandsJson() {
  std::vector<std::string> commands;
  for (const CommandInfo* command : CommandTable()) {
    if (command->one_shot) commands.push_back(CommandJson(*command));
  }
  std::vector<std::string> options;
  for (const Option& option : OptionTable()) {
    options.push_back(OptionJson(option));
  }
  return fmt::format("{{\"commands\":[\n{}\n],\n\"options\":[\n{}\n]}}\n",
                     fmt::join(commands, ",\n"), fmt::join(options, ",\n"));
}

}  // namespace tfprof
