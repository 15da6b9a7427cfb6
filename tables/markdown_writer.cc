#include "tables/markdown_writer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "fmt/format.h"
#include "tables/cell_text.h"
#include "tables/data_rows.h"
#include "util/safe_text.h"
#include "util/text_layout.h"

namespace tfprof {
namespace {

// The longest name for an agent.
constexpr size_t kAgentNameColumns = 240;
// An agent gets columns up to this rank.
constexpr int kAgentRank = 2;

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9');
}

void AppendText(std::string_view text, size_t max_columns, std::string* out) {
  std::string safe = SafeLines(text);
  if (max_columns < safe.size()) safe = Shortened(safe, max_columns, "…");
  for (size_t i = 0; i < safe.size(); ++i) {
    const char c = safe[i];
    switch (c) {
      case '\n':
        *out += "<br>";
        continue;
      case '\t':
        *out += ' ';
        continue;
      case '<':
        *out += "&lt;";
        continue;
      case '>':
        *out += "&gt;";
        continue;
      case '&':
        *out += "&amp;";
        continue;
      case '_':
        // Inside a word it is no markup, and many names have it there.
        if (i > 0 && IsWord(safe[i - 1]) && i + 1 < safe.size() &&
            IsWord(safe[i + 1])) {
          break;
        }
        [[fallthrough]];
      case '\\':
      case '|':
      case '`':
      case '*':
      case '[':
      case ']':
      case '~':
        *out += '\\';
        break;
    }
    *out += c;
  }
}

// For people, 4 decimals of a share are enough.
void AppendCell(const DataCell& cell, Unit unit, size_t max_columns,
                std::string* out) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    AppendText(*text, max_columns, out);
  } else if (const auto* d = std::get_if<double>(&cell);
             d != nullptr && unit == Unit::kShare && std::isfinite(*d)) {
    fmt::format_to(std::back_inserter(*out), "{:.4f}", *d);
  } else {
    AppendNumber(cell, "", out);
  }
}

// `tfprof.op, command: op -step 1, step: 1` and a newline.
void AppendHead(std::string_view kind, const DataFacts& facts,
                size_t max_columns, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "tfprof.{}", kind);
  for (const auto& [column, cell] : facts) {
    // Unknown values would only take room.
    if (column.name.empty() || std::holds_alternative<std::monostate>(cell)) {
      continue;
    }
    fmt::format_to(std::back_inserter(*out), ", {}: ", column.name);
    AppendCell(cell, column.unit, max_columns, out);
  }
  *out += '\n';
}

// What was written of a table.
struct Written {
  size_t bytes = 0;  // of rows
  bool cut = false;  // a line says that rows are missing
};

// The table alone, an empty line, and the lines that say what is missing.
Written WriteRows(const DataTable& table, const MarkdownLimits& limits,
                  Sink& sink) {
  std::string head = table.depth ? "| depth " : "";
  std::string rule = table.depth ? "|---:" : "";
  for (const DataColumn& column : table.columns) {
    if (column.rank > limits.max_rank) continue;
    head += "| " + column.name + " ";
    rule += column.unit == Unit::kText ? "|---" : "|---:";
  }
  std::string out = head + "|\n" + rule + "|\n";

  const auto append_row = [&](const std::string& depth, const auto& cells) {
    if (table.depth) out += "| " + depth + " ";
    for (size_t c = 0; c < cells.size(); ++c) {
      if (table.columns[c].rank > limits.max_rank) continue;
      out += "| ";
      AppendCell(cells[c], table.columns[c].unit, limits.max_columns, &out);
      out += ' ';
    }
    out += "|\n";
  };
  Written result;
  size_t written = 0;
  ForEachRow(table, out, sink, [&](size_t row, const auto& cells) {
    const size_t before = out.size();
    append_row(table.depth ? std::to_string(table.depth(row)) : "", cells);
    const size_t size = out.size() - before;
    if (row >= limits.max_rows ||
        (row > 0 && result.bytes + size > limits.max_bytes)) {
      out.resize(before);
      return false;
    }
    result.bytes += size;
    ++written;
    return true;
  });
  if (!table.totals.empty()) append_row("", table.totals);
  out += '\n';
  // If one command shows the rows that were cut here and those cut before, one
  // line is enough.
  const bool rest = !table.rest.empty();
  const size_t rows = rest ? table.total_rows : table.num_rows;
  result.cut = written < table.total_rows;
  if (written < rows) {
    fmt::format_to(std::back_inserter(out),
                   "… {} more rows of {}; get them with: {}{}\n",
                   rows - written, rows, rest ? table.rest : limits.all_rows,
                   limits.to_file);
  }
  if (!rest && table.num_rows < table.total_rows) {
    fmt::format_to(std::back_inserter(out),
                   "{} of {} rows are within the limits and filters.\n",
                   table.num_rows, table.total_rows);
  }
  sink.Write(out);
  return result;
}

}  // namespace

void WriteMarkdown(const DataDocument& document, const MarkdownLimits& limits,
                   Sink& sink) {
  std::string head;
  AppendHead(document.kind, document.facts, limits.max_columns, &head);
  sink.Write(head + "\n");
  if (document.is_one_table()) {
    WriteRows(document.parts[0].table, limits, sink);
    return;
  }
  size_t remaining = static_cast<size_t>(
      std::count_if(document.parts.begin(), document.parts.end(),
                    [](const auto& part) { return part.table.num_rows > 0; }));
  MarkdownLimits of_table = limits;
  size_t bytes = limits.max_bytes;
  for (const auto& [title, table] : document.parts) {
    if (table.num_rows == 0) continue;
    // Each table leaves room for those after it.
    of_table.max_bytes = bytes / remaining--;
    sink.Write(fmt::format("## {}\n\n", table.kind));
    const Written written = WriteRows(table, of_table, sink);
    if (written.cut) sink.Write("\n");
    bytes -= std::min(bytes, written.bytes);
  }
}

void WriteForAgent(const DataDocument& document, const std::string& line,
                   const std::vector<std::string>& narrowing, Sink& sink) {
  MarkdownLimits limits;
  limits.max_rows = kAgentRows;
  limits.max_bytes = kAgentBytes;
  limits.max_columns = kAgentNameColumns;
  limits.max_rank = kAgentRank;
  limits.all_rows = line;
  limits.to_file =
      fmt::format(" -output ndjson:outfile={}.ndjson", document.kind);
  WriteMarkdown(document, limits, sink);

  const bool rest =
      document.is_one_table() && !document.parts[0].table.rest.empty();
  std::string more = fmt::format("For more: {} -output json",
                                 rest ? document.parts[0].table.rest : line);
  if (!narrowing.empty()) {
    more += fmt::format(", or -{}; help OPTION explains",
                        fmt::join(narrowing, ", -"));
  }
  sink.Write(more + ".\n");
}

}  // namespace tfprof
