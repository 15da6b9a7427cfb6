#include "profiler/shell/deliver.h"

#include <algorithm>
#include <string>
#include <utility>

#include "fmt/format.h"
#include "inspect/steps.h"
#include "profiler/shell/data_output.h"
#include "tables/data_writers.h"
#include "tables/numbers.h"
#include "tables/render_table.h"
#include "util/ansi.h"
#include "util/safe_text.h"
#include "util/sink.h"
#include "util/text_layout.h"

namespace tfprof {
namespace {

using Type = OutputSpec::Type;

// Of a window, the lines that a fact may fill: names of 10 kB are no help.
constexpr size_t kFactLines = 4;

std::string FactText(const DataColumn& column, const DataCell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return SafeText(*text);
  }
  const auto* number = std::get_if<int64_t>(&cell);
  if (number == nullptr) return column.nothing;
  switch (column.unit) {
    case Unit::kMicros:
      return FormatMicros(*number);
    case Unit::kBytes:
      return FormatBytes(*number);
    default:
      return FormatCount(*number);
  }
}

// Those that a person is shown. One that is drawn needs `unicode`.
bool IsShown(const DataColumn& column, bool unicode) {
  const bool drawn = column.name.empty() && column.title == kTrend;
  return !column.title.empty() && (unicode || !drawn);
}

std::string FactLines(const DataFacts& facts, const TableStyle& style) {
  size_t columns = 0;
  for (const auto& [column, cell] : facts) {
    columns = std::max(columns, Columns(column.title));
  }
  const size_t indent = columns + 2;
  const std::string_view ellipsis = style.unicode ? "…" : "...";
  std::string lines;
  for (const auto& [column, cell] : facts) {
    if (!IsShown(column, style.unicode)) continue;
    AppendPadded(column.title, indent, &lines);
    const std::string text = FactText(column, cell);
    if (style.width <= indent) {
      lines += text + "\n";
    } else {
      AppendWrapped(
          Shortened(text, kFactLines * (style.width - indent), ellipsis),
          indent, &lines, style.width);
    }
  }
  return lines;
}

void Render(const DataTable& table, const TableStyle& style, Sink& sink) {
  const std::string facts = FactLines(table.facts, style);
  sink.Write(facts);
  if (!facts.empty()) sink.Write("\n");
  RenderTable(table, style, sink);
}

void Render(const DataDocument& document, const TableStyle& style, Sink& sink) {
  const std::string facts = FactLines(document.facts, style);
  sink.Write(facts);
  bool first = facts.empty();
  for (const auto& [title, table] : document.parts) {
    if (table.num_rows == 0) continue;
    if (!std::exchange(first, false)) sink.Write("\n");
    sink.Write(style.color ? fmt::format("{}{}:{}\n", kBold, title, kReset)
                           : title + ":\n");
    RenderTable(table, style, sink);
  }
}

size_t LinesOf(const DataTable& table) {
  return table.facts.size() + 1 + TableLines(table);
}

size_t LinesOf(const DataDocument& document) {
  size_t lines = document.facts.size();
  for (const auto& [title, table] : document.parts) {
    if (table.num_rows > 0) lines += 2 + TableLines(table);
  }
  return lines;
}

template <typename Answer>
void WriteAs(const Answer& answer, DataFormat format, const TableStyle& style,
             Sink& sink) {
  switch (format) {
    case DataFormat::kJson:
      return WriteJson(answer, sink);
    case DataFormat::kNdjson:
      return WriteNdjson(answer, sink);
    case DataFormat::kCsv:
      return WriteCsv(answer, sink);
    case DataFormat::kMarkdown:
      return WriteMarkdown(answer, sink);
    case DataFormat::kTable:
      return Render(answer, style, sink);
  }
}

template <typename Answer>
absl::Status Write(Answer answer, const Command& command, Ui& ui) {
  const Options& options = command.options;
  const Type type = options.output.type;
  const absl::Status known = CheckOutput(command);
  if (!known.ok() || type == Type::kNone) return known;
  AddCommand(command, &answer.facts);
  if (type == Type::kStdout && options.agent) {
    WriteForAgent(answer, command, ui);
    return absl::OkStatus();
  }
  const DataFormat format = DataFormatOf(type).value_or(DataFormat::kTable);
  const std::string outfile =
      type == Type::kStdout ? "" : options.output.outfile();
  TableStyle style;
  if (!outfile.empty()) {
    style.color = options.color == ColorMode::kAlways;
    return WriteFile(outfile, [&](Sink& file) {
      WriteAs(answer, format, style, file);
      return absl::OkStatus();
    });
  }
  const Screen screen = ui.screen();
  style.width = screen.terminal ? screen.width : 0;
  style.color = Colored(options, screen);
  style.bars = screen.terminal;
  style.unicode = screen.unicode;
  const bool pages = format == DataFormat::kTable && screen.pager &&
                     LinesOf(answer) + 1 > screen.height;
  ui.Show(pages, [&](Sink& sink) { WriteAs(answer, format, style, sink); });
  return absl::OkStatus();
}

}  // namespace

bool IsForReading(const Options& options) {
  const auto format = DataFormatOf(options.output.type);
  if (format.has_value()) return *format == DataFormat::kTable;
  return !options.agent || options.output.type != Type::kStdout;
}

absl::Status WriteAnswer(DataTable table, const Command& command, Ui& ui) {
  return Write(std::move(table), command, ui);
}

absl::Status WriteAnswer(DataDocument document, const Command& command,
                         Ui& ui) {
  return Write(std::move(document), command, ui);
}

}  // namespace tfprof
