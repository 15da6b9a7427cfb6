#include "profiler/shell/data_output.h"

#include "fmt/format.h"
#include "tables/render_table.h"
#include "util/json_string.h"
#include "util/progress.h"
#include "util/sink.h"

namespace tfprof {
namespace {

using Type = OutputSpec::Type;

// Of a name, for an agent.
constexpr size_t kAgentNameColumns = 240;

// What a person asked for, and the main number of all else.
constexpr int kAgentRank = 2;

bool IsView(CommandId id) {
  return id == CommandId::kScope || id == CommandId::kGraph ||
         id == CommandId::kOp || id == CommandId::kCode;
}

// What to type for more than an agent was given, as a line.
std::string MoreText(const Command& command, std::string_view line) {
  std::string text = fmt::format("For more: {} -output json", line);
  if (IsView(command.info->id)) {
    return text +
           ", or -select, -max_depth, -order_by, -show_name_regexes; help "
           "OPTION explains.\n";
  }
  std::string options;
  for (const Option& option : OptionTable()) {
    if (!Uses(*command.info, option) || option.kind == OptionKind::kOutput ||
        option.kind == OptionKind::kColor || option.name == "agent") {
      continue;
    }
    options += fmt::format(" -{},", option.name);
  }
  if (!options.empty()) {
    options.back() = ';';
    text += ", or" + options + " help OPTION explains";
  }
  return text + ".\n";
}

template <typename Data>
void WriteShortly(const Data& data, const std::string& rest,
                  const Command& command, Ui& ui) {
  const std::string line = SpellCommand(command);
  const MarkdownLimits limits = AgentLimits(data.kind, line);
  ui.Show(/*pager=*/false, [&](Sink& sink) {
    WriteMarkdown(data, sink, limits);
    sink.Write(MoreText(command, rest.empty() ? line : rest));
  });
}

}  // namespace

bool Colored(const Options& options, const Screen& screen) {
  return options.color == ColorMode::kAlways ||
         (options.color == ColorMode::kAuto && screen.color);
}

MarkdownLimits AgentLimits(std::string_view kind, const std::string& line) {
  MarkdownLimits limits;
  limits.max_rows = kAgentRows;
  limits.max_bytes = kAgentBytes;
  limits.max_columns = kAgentNameColumns;
  limits.max_rank = kAgentRank;
  limits.all_rows = line;
  limits.to_file = fmt::format(" -output ndjson:outfile={}.ndjson", kind);
  return limits;
}

void WriteForAgent(const DataTable& table, const Command& command, Ui& ui) {
  WriteShortly(table, table.rest, command, ui);
}

void WriteForAgent(const DataDocument& document, const Command& command,
                   Ui& ui) {
  WriteShortly(document, "", command, ui);
}

void AddCommand(const Command& command, DataFacts* facts) {
  facts->insert(facts->begin(),
                {{"command", "", Unit::kText}, SpellCommand(command)});
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

std::optional<DataFormat> DataFormatOf(Type type) {
  switch (type) {
    case Type::kJson:
      return DataFormat::kJson;
    case Type::kNdjson:
      return DataFormat::kNdjson;
    case Type::kCsv:
      return DataFormat::kCsv;
    case Type::kMarkdown:
      return DataFormat::kMarkdown;
    case Type::kTable:
      return DataFormat::kTable;
    case Type::kStdout:
    case Type::kFile:
    case Type::kNone:
    case Type::kTimeline:
    case Type::kPprof:
    case Type::kText:
    case Type::kJunit:
      break;
  }
  return std::nullopt;
}

bool HasOtherDefault(const Options& options, const Ui& ui) {
  return options.output.type == Type::kStdout &&
         (options.agent || ui.screen().terminal);
}

absl::Status WriteAs(DataFormat format, const DataTable& table,
                     const Options& options, Ui& ui) {
  const std::string outfile = options.output.outfile();
  const Screen screen = ui.screen();
  const auto write = [&](const DataTable& table, bool to_file, Sink& sink) {
    if (format != DataFormat::kTable) return WriteData(table, format, sink);
    TableStyle style;
    style.color = options.color == ColorMode::kAlways ||
                  (!to_file && Colored(options, screen));
    RenderTable(table, style, sink);
  };
  if (!outfile.empty()) {
    Progress progress;
    progress.total = static_cast<int64_t>(table.num_rows);
    DataTable counted = table;
    counted.cells = [&](size_t row, std::vector<DataCell>& cells) {
      progress.done = static_cast<int64_t>(row);
      table.cells(row, cells);
    };
    const ProgressBar bar("writing", progress, " rows");
    return WriteFile(outfile, [&](Sink& file) {
      write(counted, /*to_file=*/true, file);
      return absl::OkStatus();
    });
  }
  ui.Show(/*pager=*/false,
          [&](Sink& sink) { write(table, /*to_file=*/false, sink); });
  return absl::OkStatus();
}

void WriteDefault(const DataTable& table, const Command& command,
                  std::string_view introduction, Ui& ui) {
  const Options& options = command.options;
  if (options.agent) return WriteForAgent(table, command, ui);
  const Screen screen = ui.screen();
  TableStyle style;
  style.width = screen.width;
  style.color = Colored(options, screen);
  style.bars = true;
  style.unicode = screen.unicode;
  // The prompt comes below. The introduction may scroll away: it is for once.
  const size_t room = screen.height > 1 ? screen.height - 1 : 1;
  const bool pages = screen.pager && TableLines(table) > room;
  if (!pages) style.height = room;
  ui.Show(pages, [&](Sink& sink) {
    sink.Write(introduction);
    RenderTable(table, style, sink);
  });
}

absl::Status WriteTable(const DataTable& table, const Command& command,
                        Ui& ui) {
  const Options& options = command.options;
  if (const auto format = DataFormatOf(options.output.type)) {
    return WriteAs(*format, table, options, ui);
  }
  const absl::Status known = CheckOutput(command);
  if (!known.ok() || options.output.type == Type::kNone) return known;
  if (HasOtherDefault(options, ui)) {
    WriteDefault(table, command, "", ui);
    return absl::OkStatus();
  }
  Options plain = options;
  // A file that `set` left for -output file is not that of stdout.
  if (options.output.type == Type::kStdout) plain.output.keys.clear();
  return WriteAs(DataFormat::kTable, table, plain, ui);
}

std::string ErrorJson(const absl::Status& status) {
  std::string message(status.message());
  while (!message.empty() && message.back() == '\n') message.pop_back();
  return fmt::format("{{\"error\":{{\"code\":{},\"message\":{}}}}}\n",
                     JsonString(absl::StatusCodeToString(status.code())),
                     JsonString(message));
}

}  // namespace tfprof
