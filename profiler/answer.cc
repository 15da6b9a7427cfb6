#include "profiler/answer.h"

#include <algorithm>
#include <string>
#include <vector>

#include "exporters/data_writers.h"
#include "exporters/numbers.h"
#include "exporters/render_table.h"
#include "exporters/sink.h"
#include "fmt/format.h"
#include "inspect/steps.h"
#include "profiler/data_output.h"
#include "util/safe_text.h"
#include "util/text_layout.h"

namespace tfprof {
namespace {

using Type = OutputSpec::Type;

std::string FactText(const DataCell& cell, Unit unit) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return SafeText(*text);
  }
  const auto* number = std::get_if<int64_t>(&cell);
  if (number == nullptr) return "-";
  switch (unit) {
    case Unit::kMicros:
      return FormatMicros(*number);
    case Unit::kBytes:
      return FormatBytes(*number);
    default:
      return FormatCount(*number);
  }
}

// Without `unicode`, a fact that is drawn is left out.
std::string FactLines(const DataTable& table, bool unicode) {
  size_t columns = 0;
  for (const auto& [column, cell] : table.facts) {
    columns = std::max(columns, Columns(column.title));
  }
  std::string lines;
  for (const auto& [column, cell] : table.facts) {
    if (!unicode && column.name == kTrendFact) continue;
    AppendPadded(column.title, columns + 2, &lines);
    lines += FactText(cell, column.unit) + "\n";
  }
  return lines;
}

void RenderAll(std::span<const DataTable> tables, const TableStyle& style,
               Sink& sink) {
  bool first = true;
  for (const DataTable& table : tables) {
    if (!first) sink.Write("\n");
    first = false;
    sink.Write(FactLines(table, style.unicode));
    if (table.columns.empty()) continue;
    if (!table.facts.empty()) sink.Write("\n");
    RenderTable(table, style, sink);
  }
}

size_t LinesOf(std::span<const DataTable> tables) {
  size_t lines = 0;
  for (const DataTable& table : tables) {
    lines += table.facts.size() + 1;
    if (!table.columns.empty()) lines += TableLines(table);
  }
  return lines;
}

// The facts of a table that has nothing else, as its one row.
DataTable FactsAsRow(const DataTable& table) {
  DataTable row;
  row.kind = table.kind;
  row.num_rows = row.total_rows = 1;
  std::vector<DataCell> cells;
  for (const auto& [column, cell] : table.facts) {
    row.columns.push_back(column);
    cells.push_back(cell);
  }
  row.cells = [cells](size_t, std::vector<DataCell>& out) { out = cells; };
  return row;
}

void WriteAll(std::span<const DataTable> tables, DataFormat format,
              Sink& sink) {
  if (format == DataFormat::kTable) return RenderAll(tables, {}, sink);
  const bool list = format == DataFormat::kJson && tables.size() > 1;
  if (list) sink.Write("[\n");
  for (size_t i = 0; i < tables.size(); ++i) {
    if (i > 0)
      sink.Write(list ? ",\n" : format == DataFormat::kNdjson ? "" : "\n");
    if (format == DataFormat::kCsv && tables[i].columns.empty()) {
      WriteData(FactsAsRow(tables[i]), format, sink);
    } else {
      WriteData(tables[i], format, sink);
    }
  }
  if (list) sink.Write("]\n");
}

void ShowAll(std::span<const DataTable> tables, const Options& options,
             Ui& ui) {
  const Screen screen = ui.screen();
  TableStyle style;
  style.width = screen.terminal ? screen.width : 0;
  style.color = options.color == ColorMode::kAlways ||
                (options.color == ColorMode::kAuto && screen.color);
  style.bars = screen.terminal;
  style.unicode = screen.unicode;
  const bool pages = screen.pager && LinesOf(tables) + 1 > screen.height;
  ui.Show(pages, [&](Sink& sink) { RenderAll(tables, style, sink); });
}

}  // namespace

bool IsForReading(const Options& options) {
  const auto format = DataFormatOf(options.output.type);
  return !format.has_value() || *format == DataFormat::kTable;
}

absl::Status WriteAnswer(std::span<const DataTable> tables,
                         const Command& command, Ui& ui) {
  const Options& options = command.options;
  const Type type = options.output.type;
  if (type == Type::kNone) return absl::OkStatus();
  if (type == Type::kTimeline || type == Type::kPprof) {
    return absl::InvalidArgumentError(fmt::format(
        "{} has no {}; -output is stdout, file, none, json, ndjson, csv, "
        "markdown or table",
        command.info->name, OutputName(type)));
  }
  std::optional<DataFormat> format = DataFormatOf(type);
  if (!format.has_value() && type == Type::kStdout && options.agent) {
    format = DataFormat::kMarkdown;
  }
  const std::string outfile =
      type == Type::kStdout ? "" : options.output.outfile();
  if (!outfile.empty()) {
    return WriteFile(outfile, [&](Sink& file) {
      WriteAll(tables, format.value_or(DataFormat::kTable), file);
      return absl::OkStatus();
    });
  }
  if (!format.has_value() || *format == DataFormat::kTable) {
    ShowAll(tables, options, ui);
  } else {
    ui.Show(/*pager=*/false,
            [&](Sink& sink) { WriteAll(tables, *format, sink); });
  }
  return absl::OkStatus();
}

}  // namespace tfprof
