#include "profiler/commands/help/commands_json.h"

#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/options/options.h"
#include "util/json/json_string.h"

namespace tfprof::commands {
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
  for (const std::string& text : texts)
    strings.push_back(util::JsonString(text));
  return fmt::format("[{}]", fmt::join(strings, ","));
}

std::string CommandJson(const CommandInfo& command,
                        bool (*takes)(const CommandInfo&,
                                      const options::Option&)) {
  std::vector<std::string> options;
  for (const options::Option& option : options::OptionTable()) {
    if (takes(command, option)) options.emplace_back(option.name);
  }
  return fmt::format(
      R"({{"name":{},"arguments":{},"min_arguments":{},"max_arguments":{},)"
      R"("needs_profile":{},"gives_answer":{},"help":{},"answers":{},)"
      R"("options":{}}})",
      util::JsonString(command.name), util::JsonString(command.arguments),
      command.min_arguments, command.max_arguments,
      command.inputs == CommandInfo::Inputs::kProfile,
      (command.options & options::kOutputOptions) != 0,
      util::JsonString(command.help), util::JsonString(command.answers),
      ListJson(options));
}

std::string OptionJson(const options::Option& option) {
  return fmt::format(
      R"({{"name":{},"kind":{},"value":{},"default":{},"choices":{},)"
      R"("help":{}}})",
      util::JsonString(option.name),
      util::JsonString(NameOf(ValueKindOf(option))),
      util::JsonString(option.value_name),
      util::JsonString(option.format(options::Options())),
      ListJson(options::OptionChoices(option)), util::JsonString(option.help));
}

}  // namespace

ValueKind ValueKindOf(const options::Option& option) {
  // -device_peaks is a pair, which is written as one text.
  if (options::TakesList(option) && option.group != options::kPeaksOption) {
    return ValueKind::kList;
  }
  switch (option.kind) {
    case options::OptionKind::kInt32:
    case options::OptionKind::kInt64:
      return ValueKind::kInteger;
    case options::OptionKind::kFlag:
      return ValueKind::kBoolean;
    default:
      return ValueKind::kText;
  }
}

std::string CatalogJson(bool (*has)(const CommandInfo& command),
                        bool (*takes)(const CommandInfo& command,
                                      const options::Option& option),
                        std::span<const Term> terms) {
  std::vector<std::string> commands;
  for (const CommandInfo* command : CommandTable()) {
    if (has(*command)) commands.push_back(CommandJson(*command, takes));
  }
  std::vector<std::string> options;
  for (const options::Option& option : options::OptionTable()) {
    options.push_back(OptionJson(option));
  }
  std::string glossary;
  for (const Term& term : terms) {
    glossary += fmt::format("{}\n{{\"word\":{},\"meaning\":{}}}",
                            glossary.empty() ? ",\n\"terms\":[" : ",",
                            util::JsonString(term.word),
                            util::JsonString(term.meaning));
  }
  if (!glossary.empty()) glossary += "\n]";
  return fmt::format("{{\"commands\":[\n{}\n],\n\"options\":[\n{}\n]{}}}\n",
                     fmt::join(commands, ",\n"), fmt::join(options, ",\n"),
                     glossary);
}

std::string CommandsJson() {
  return CatalogJson(
      [](const CommandInfo& command) { return command.one_shot; }, Uses,
      /*terms=*/{});
}

}  // namespace tfprof::commands
