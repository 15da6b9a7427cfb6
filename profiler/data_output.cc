#include "profiler/data_output.h"

#include "exporters/json_string.h"
#include "exporters/render_table.h"
#include "exporters/sink.h"
#include "fmt/format.h"
#include "util/progress.h"

namespace tfprof {
namespace {

using Type = OutputSpec::Type;

// Of a name, for an agent.
constexpr size_t kAgentNameColumns = 240;

// What a person asked for, and the main number of all else.
constexpr int kAgentRank = 2;

bool Colored(const Options& options, const Screen& screen) {
  return options.color == ColorMode::kAlways ||
         (options.color == ColorMode::kAuto && screen.color);
}

bool IsView(CommandId id) {
  return id == CommandId::kScope || id == CommandId::kGraph ||
         id == CommandId::kOp || id == CommandId::kCode;
}

void WriteForAgent(const DataTable& table, const Command& command, Ui& ui) {
  const std::string line = SpellCommand(command);
  MarkdownLimits limits;
  limits.max_rows = kAgentRows;
  limits.max_bytes = kAgentBytes;
  limits.max_columns = kAgentNameColumns;
  limits.max_rank = kAgentRank;
  limits.all_rows =
      fmt::format("{} -output ndjson:outfile={}.ndjson", line, table.kind);
  ui.Show(/*pager=*/false, [&](Sink& sink) {
    WriteMarkdown(table, sink, limits);
    sink.Write(fmt::format(
        "For more: {} -output json{}\n", line,
        IsView(command.info->id)
            ? ", or -select, -max_depth, -order_by, -show_name_regexes; help "
              "OPTION explains."
            : "."));
  });
}

}  // namespace

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
  switch (options.output.type) {
    case Type::kNone:
      return absl::OkStatus();
    case Type::kTimeline:
    case Type::kPprof:
    case Type::kJunit:
      return absl::InvalidArgumentError(fmt::format(
          "{} has no {}; -output is stdout, file, none, json, ndjson, csv, "
          "markdown, table or text",
          command.info->name, OutputName(options.output.type)));
    default:
      break;
  }
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
