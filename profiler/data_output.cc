#include "profiler/data_output.h"

#include "fmt/format.h"
#include "tables/answer_writer.h"
#include "util/json_string.h"

namespace tfprof {
namespace {

using Type = OutputSpec::Type;

bool IsView(CommandId id) {
  return id == CommandId::kScope || id == CommandId::kGraph ||
         id == CommandId::kOp || id == CommandId::kCode;
}

}  // namespace

bool Colored(const Options& options, const Screen& screen) {
  return options.color == ColorMode::kAlways ||
         (options.color == ColorMode::kAuto && screen.color);
}

std::vector<std::string> NarrowingOptions(const Command& command) {
  if (IsView(command.info->id)) {
    return {"select", "max_depth", "order_by", "show_name_regexes"};
  }
  std::vector<std::string> names;
  for (const Option& option : OptionTable()) {
    if (Uses(*command.info, option) && option.kind != OptionKind::kOutput &&
        option.kind != OptionKind::kColor && option.name != "agent") {
      names.emplace_back(option.name);
    }
  }
  return names;
}

absl::Status CheckOutput(const Command& command, bool has_junit) {
  const Type type = command.options.output.type;
  if (type != Type::kTimeline && type != Type::kPprof &&
      (type != Type::kJunit || has_junit)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(fmt::format(
      "{} has no {}; -output is stdout, file, none, json, ndjson, csv, "
      "markdown, table{}",
      command.info->name, OutputName(type),
      has_junit ? ", text or junit" : " or text"));
}

std::optional<std::string_view> DataFormatOf(Type type) {
  const AnswerFormat* format = FindAnswerFormat(OutputName(type));
  if (format == nullptr) return std::nullopt;
  return format->name;
}

bool HasOtherDefault(const Options& options, const Ui& ui) {
  return options.output.type == Type::kStdout &&
         (options.agent || ui.screen().terminal);
}

std::string ErrorJson(const absl::Status& status) {
  std::string message(status.message());
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return fmt::format("{{\"error\":{{\"code\":{},\"message\":{}}}}}\n",
                     JsonString(absl::StatusCodeToString(status.code())),
                     JsonString(message));
}

}  // namespace tfprof
