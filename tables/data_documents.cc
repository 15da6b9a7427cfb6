#include <algorithm>
#include <map>

#include "fmt/format.h"
#include "tables/data_cells.h"
#include "tables/data_writers.h"
#include "util/json_string.h"

namespace tfprof {

void WriteJson(const DataDocument& document, Sink& sink) {
  std::string out = "{";
  AppendJsonHead(document.kind, document.facts, "\n", &out);
  out += ",\n\"tables\":{";
  bool first = true;
  for (const auto& [title, table] : document.parts) {
    out += std::exchange(first, false) ? "\n" : ",\n";
    out += JsonString(table.kind) + ":{";
    WriteJsonTable(table, out, sink);
    out += '}';
  }
  out += "\n}}\n";
  sink.Write(out);
}

void WriteNdjson(const DataDocument& document, Sink& sink) {
  std::string out = "{";
  AppendJsonHead(document.kind, document.facts, "", &out);
  out += ",\"tables\":{";
  bool first = true;
  for (const auto& [title, table] : document.parts) {
    if (!std::exchange(first, false)) out += ',';
    out += JsonString(table.kind) + ":{";
    AppendJsonShape(table, &out);
    out += '}';
  }
  out += "}}\n";
  for (const auto& [title, table] : document.parts) {
    const JsonRows rows(table, "\"table\":" + JsonString(table.kind));
    ForEachRow(table, out, sink, [&](size_t row, const auto& cells) {
      rows.Append(row, cells, &out);
      out += '\n';
      return true;
    });
  }
  sink.Write(out);
}

void WriteCsv(const DataDocument& document, Sink& sink) {
  // The columns of all, each name once: what is called the same is the same.
  std::map<std::string_view, size_t> place;
  std::string out = "table";
  const auto add = [&](std::string_view name) {
    if (name.empty() || !place.emplace(name, place.size()).second) return;
    out += ',';
    AppendCsvText(name, &out);
  };
  for (const auto& [column, cell] : document.facts) add(column.name);
  for (const auto& [title, table] : document.parts) {
    for (const DataColumn& column : table.columns) add(column.name);
  }
  out += "\r\n";

  std::vector<const DataCell*> line(place.size());
  const auto write_line = [&](std::string_view name) {
    AppendCsvText(name, &out);
    for (const DataCell*& cell : line) {
      out += ',';
      if (cell != nullptr) AppendCsvCell(*cell, &out);
      cell = nullptr;
    }
    out += "\r\n";
  };
  for (const auto& [column, cell] : document.facts) {
    if (!column.name.empty()) line[place[column.name]] = &cell;
  }
  write_line("facts");
  for (const auto& [title, table] : document.parts) {
    ForEachRow(table, out, sink, [&](size_t, const auto& cells) {
      for (size_t c = 0; c < cells.size(); ++c) {
        line[place[table.columns[c].name]] = &cells[c];
      }
      write_line(table.kind);
      return true;
    });
  }
  sink.Write(out);
}

void WriteMarkdown(const DataDocument& document, Sink& sink,
                   const MarkdownLimits& limits) {
  std::string out;
  AppendMarkdownHead(document.kind, document.facts, limits.max_columns, &out);
  sink.Write(out + "\n");
  size_t left = static_cast<size_t>(
      std::count_if(document.parts.begin(), document.parts.end(),
                    [](const auto& part) { return part.table.num_rows > 0; }));
  MarkdownLimits of_table = limits;
  size_t bytes = limits.max_bytes;
  for (const auto& [title, table] : document.parts) {
    if (table.num_rows == 0) continue;
    // Those before leave room for those behind them.
    of_table.max_bytes = bytes / left--;
    sink.Write(fmt::format("## {}\n\n", table.kind));
    const MarkdownWritten written = WriteMarkdownRows(table, sink, of_table);
    if (written.cut) sink.Write("\n");
    bytes -= std::min(bytes, written.bytes);
  }
}

}  // namespace tfprof
