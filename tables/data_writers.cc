#include "tables/data_writers.h"

#include <iterator>

#include "fmt/format.h"
#include "tables/data_cells.h"
#include "tables/render_table.h"

namespace tfprof {

void WriteJson(const DataTable& table, Sink& sink) {
  std::string out = "{";
  AppendJsonHead(table.kind, table.facts, "\n", &out);
  out += ",\n";
  WriteJsonTable(table, out, sink);
  out += "}\n";
  sink.Write(out);
}

void WriteNdjson(const DataTable& table, Sink& sink) {
  std::string out = "{";
  AppendJsonHead(table.kind, table.facts, "", &out);
  out += ',';
  AppendJsonShape(table, &out);
  out += "}\n";
  const JsonRows rows(table);
  ForEachRow(table, out, sink, [&](size_t row, const auto& cells) {
    rows.Append(row, cells, &out);
    out += '\n';
    return true;
  });
  sink.Write(out);
}

void WriteCsv(const DataTable& table, Sink& sink) {
  std::string out = table.depth ? "depth" : "";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (c > 0 || table.depth) out += ',';
    AppendCsvText(table.columns[c].name, &out);
  }
  out += "\r\n";
  ForEachRow(table, out, sink, [&](size_t row, const auto& cells) {
    if (table.depth)
      fmt::format_to(std::back_inserter(out), "{}", table.depth(row));
    for (size_t c = 0; c < cells.size(); ++c) {
      if (c > 0 || table.depth) out += ',';
      AppendCsvCell(cells[c], &out);
    }
    out += "\r\n";
    return true;
  });
  sink.Write(out);
}

void WriteMarkdown(const DataTable& table, Sink& sink,
                   const MarkdownLimits& limits) {
  std::string out;
  AppendMarkdownHead(table.kind, table.facts, limits.max_columns, &out);
  sink.Write(out + "\n");
  WriteMarkdownRows(table, sink, limits);
}

MarkdownWritten WriteMarkdownRows(const DataTable& table, Sink& sink,
                                  const MarkdownLimits& limits) {
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
      AppendMarkdownCell(cells[c], table.columns[c].unit, limits.max_columns,
                         &out);
      out += ' ';
    }
    out += "|\n";
  };
  MarkdownWritten result;
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
  // Where one command has both what was cut here and what was cut before, one
  // line says it.
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

void WriteData(const DataTable& table, DataFormat format, Sink& sink) {
  switch (format) {
    case DataFormat::kJson:
      return WriteJson(table, sink);
    case DataFormat::kNdjson:
      return WriteNdjson(table, sink);
    case DataFormat::kCsv:
      return WriteCsv(table, sink);
    case DataFormat::kMarkdown:
      return WriteMarkdown(table, sink);
    case DataFormat::kTable:
      return RenderTable(table, TableStyle(), sink);
  }
}

}  // namespace tfprof
