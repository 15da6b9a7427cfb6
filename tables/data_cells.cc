#include "tables/data_cells.h"

#include <cmath>
#include <cstdint>
#include <iterator>

#include "fmt/format.h"
#include "util/json_string.h"
#include "util/safe_text.h"
#include "util/text_layout.h"

namespace tfprof {
namespace {

constexpr int kVersion = 1;

// Appends a number, or `nothing` where there is none.
void AppendNumber(const DataCell& cell, std::string_view nothing,
                  std::string* out) {
  if (const auto* i = std::get_if<int64_t>(&cell)) {
    const fmt::format_int digits(*i);
    out->append(digits.data(), digits.size());
  } else if (const auto* d = std::get_if<double>(&cell);
             d != nullptr && std::isfinite(*d)) {
    fmt::format_to(std::back_inserter(*out), "{}", *d);
  } else {
    *out += nothing;
  }
}

void AppendJsonCell(const DataCell& cell, std::string* out) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    AppendJsonString(*text, out);
  } else {
    AppendNumber(cell, "null", out);
  }
}

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9');
}

void AppendMarkdownText(std::string_view text, size_t max_columns,
                        std::string* out) {
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
        // Inside of a word it means nothing, and names are full of it.
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

// `"columns":[…]`
void AppendJsonColumns(const DataTable& table, std::string* out) {
  *out += "\"columns\":[";
  const auto add = [&](std::string_view name, Unit unit, std::string_view of) {
    if (out->back() == '}') *out += ',';
    fmt::format_to(std::back_inserter(*out), "{{\"name\":{},\"unit\":\"{}\"",
                   JsonString(name), UnitName(unit));
    if (!of.empty()) *out += ",\"of\":" + JsonString(of);
    *out += '}';
  };
  if (table.depth) add("depth", Unit::kCount, "");
  for (const DataColumn& column : table.columns) {
    add(column.name, column.unit, column.of);
  }
  *out += ']';
}

// `"returned":2,"total":36,"truncated":true`
void AppendJsonCounts(const DataTable& table, std::string* out) {
  fmt::format_to(
      std::back_inserter(*out), "\"returned\":{},\"total\":{},\"truncated\":{}",
      table.num_rows, table.total_rows, table.num_rows < table.total_rows);
}

}  // namespace

void AppendJsonHead(std::string_view kind, const DataFacts& facts,
                    std::string_view between, std::string* out) {
  fmt::format_to(std::back_inserter(*out),
                 "\"schema\":{},\"version\":{},{}\"facts\":{{",
                 JsonString("tfprof." + std::string(kind)), kVersion, between);
  bool first = true;
  for (const auto& [column, cell] : facts) {
    if (column.name.empty()) continue;
    if (!std::exchange(first, false)) *out += ',';
    AppendJsonString(column.name, out);
    *out += ':';
    AppendJsonCell(cell, out);
  }
  *out += '}';
}

void WriteJsonTable(const DataTable& table, std::string& out, Sink& sink) {
  AppendJsonColumns(table, &out);
  out += ",\n\"rows\":[";
  const JsonRows rows(table);
  ForEachRow(table, out, sink, [&](size_t row, const auto& cells) {
    out += row == 0 ? "\n" : ",\n";
    rows.Append(row, cells, &out);
    return true;
  });
  out += "\n],\n";
  if (!table.totals.empty()) {
    out += "\"totals\":";
    rows.AppendTotals(&out);
    out += ",\n";
  }
  AppendJsonCounts(table, &out);
}

void AppendJsonShape(const DataTable& table, std::string* out) {
  AppendJsonColumns(table, out);
  *out += ',';
  if (!table.totals.empty()) {
    *out += "\"totals\":";
    JsonRows(table).AppendTotals(out);
    *out += ',';
  }
  AppendJsonCounts(table, out);
}

JsonRows::JsonRows(const DataTable& table, std::string_view first)
    : table_(table) {
  if (table.depth) keys_.push_back("\"depth\":");
  for (const DataColumn& column : table.columns) {
    keys_.push_back(JsonString(column.name) + ":");
  }
  for (size_t i = 0; i < keys_.size(); ++i) {
    keys_[i].insert(0, i > 0           ? ","
                       : first.empty() ? "{"
                                       : fmt::format("{{{},", first));
  }
}

void JsonRows::Append(size_t row, const std::vector<DataCell>& cells,
                      std::string* out) const {
  size_t key = 0;
  if (table_.depth) {
    *out += keys_[key++];
    AppendNumber(static_cast<int64_t>(table_.depth(row)), "", out);
  }
  AppendCells(cells, key, out);
}

void JsonRows::AppendTotals(std::string* out) const {
  size_t key = 0;
  if (table_.depth) *out += keys_[key++] + "null";
  AppendCells(table_.totals, key, out);
}

void JsonRows::AppendCells(const std::vector<DataCell>& cells, size_t key,
                           std::string* out) const {
  if (keys_.empty()) *out += '{';
  for (const DataCell& cell : cells) {
    *out += keys_[key++];
    AppendJsonCell(cell, out);
  }
  *out += '}';
}

void AppendCsvText(std::string_view text, std::string* out) {
  std::string safe = SafeText(text);
  if (!safe.empty() && std::string_view("=+-@").find(safe[0]) != safe.npos) {
    safe.insert(0, "'");
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

void AppendCsvCell(const DataCell& cell, std::string* out) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    AppendCsvText(*text, out);
  } else {
    AppendNumber(cell, "", out);
  }
}

// For people a share of 4 decimals says enough.
void AppendMarkdownCell(const DataCell& cell, Unit unit, size_t max_columns,
                        std::string* out) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    AppendMarkdownText(*text, max_columns, out);
  } else if (const auto* d = std::get_if<double>(&cell);
             d != nullptr && unit == Unit::kShare && std::isfinite(*d)) {
    fmt::format_to(std::back_inserter(*out), "{:.4f}", *d);
  } else {
    AppendNumber(cell, "", out);
  }
}

void AppendMarkdownHead(std::string_view kind, const DataFacts& facts,
                        size_t max_columns, std::string* out) {
  fmt::format_to(std::back_inserter(*out), "tfprof.{}", kind);
  for (const auto& [column, cell] : facts) {
    // What is not known costs room and says nothing.
    if (column.name.empty() || std::holds_alternative<std::monostate>(cell)) {
      continue;
    }
    fmt::format_to(std::back_inserter(*out), ", {}: ", column.name);
    AppendMarkdownCell(cell, column.unit, max_columns, out);
  }
  *out += '\n';
}

}  // namespace tfprof
