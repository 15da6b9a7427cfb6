#include "tables/writers/csv_writer.h"

#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fmt/format.h"
#include "tables/cell_text.h"
#include "tables/writers/data_rows.h"
#include "util/text/safe_text.h"

namespace tfprof::tables {
namespace {

void AppendText(std::string_view text, std::string* out) {
  std::string safe = util::SafeText(text);
  if (!safe.empty() && std::string_view("=+-@").find(safe[0]) != safe.npos) {
    safe.insert(safe.begin(), '\'');
  }
  if (safe.find_first_of(",\"") == safe.npos) {
    *out += safe;
    return;
  }
  *out += '"';
  for (const char c : safe) {
    if (c == '"') *out += '"';
    *out += c;
  }
  *out += '"';
}

void AppendCell(const DataCell& cell, std::string* out) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    AppendText(*text, out);
  } else {
    AppendNumber(cell, "", out);
  }
}

void WriteOne(const DataTable& table, util::Sink& sink) {
  std::string out = table.depth ? "depth" : "";
  for (size_t c = 0; c < table.columns.size(); ++c) {
    if (c > 0 || table.depth) out += ',';
    AppendText(table.columns[c].name, &out);
  }
  out += "\r\n";
  ForEachRow(table, out, sink, [&](size_t row, const auto& cells) {
    if (table.depth)
      fmt::format_to(std::back_inserter(out), "{}", table.depth(row));
    for (size_t c = 0; c < cells.size(); ++c) {
      if (c > 0 || table.depth) out += ',';
      AppendCell(cells[c], &out);
    }
    out += "\r\n";
    return true;
  });
  sink.Write(out);
}

void WriteAll(const DataDocument& document, util::Sink& sink) {
  // The columns of all tables; tables share columns of the same name.
  std::map<std::string_view, size_t> place;
  std::string out = "table";
  const auto add = [&](std::string_view name) {
    if (name.empty() || !place.emplace(name, place.size()).second) return;
    out += ',';
    AppendText(name, &out);
  };
  for (const auto& [column, cell] : document.facts) add(column.name);
  for (const auto& [title, table] : document.parts) {
    for (const DataColumn& column : table.columns) add(column.name);
  }
  out += "\r\n";

  std::vector<const DataCell*> line(place.size());
  const auto write_line = [&](std::string_view name) {
    AppendText(name, &out);
    for (const DataCell*& cell : line) {
      out += ',';
      if (cell != nullptr) AppendCell(*cell, &out);
      cell = nullptr;
    }
    out += "\r\n";
  };
  for (const auto& [column, cell] : document.facts) {
    if (!column.name.empty()) line[place[column.name]] = &cell;
  }
  write_line("facts");
  for (const DataDocument::Part& part : document.parts) {
    const DataTable& table = part.table;
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

}  // namespace

void WriteCsv(const DataDocument& document, util::Sink& sink) {
  if (document.is_one_table()) {
    WriteOne(document.parts[0].table, sink);
  } else {
    WriteAll(document, sink);
  }
}

}  // namespace tfprof::tables
