#include "exporters/data_writers.h"

#include <cmath>
#include <iterator>

#include "exporters/json_string.h"
#include "exporters/render_table.h"
#include "fmt/format.h"
#include "util/safe_text.h"
#include "util/text_layout.h"

namespace tfprof {
namespace {

constexpr size_t kBufferBytes = 1 << 16;
constexpr int kVersion = 1;

std::string_view UnitName(Unit unit) {
  switch (unit) {
    case Unit::kText:
      return "text";
    case Unit::kCount:
      return "count";
    case Unit::kMicros:
      return "micros";
    case Unit::kBytes:
      return "bytes";
    case Unit::kShare:
      return "share";
    case Unit::kNumber:
      break;
  }
  return "number";
}

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

// Calls `write` for each row, and flushes what it appended to `out`.
template <typename WriteRow>
void ForEachRow(const DataTable& table, std::string& out, Sink& sink,
                WriteRow write) {
  std::vector<DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    if (!write(row, cells)) break;
    if (out.size() >= kBufferBytes) {
      sink.Write(out);
      out.clear();
    }
  }
}

// The keys of a row, written once: `{"name":`, `,"self_micros":`.
class JsonRows {
 public:
  explicit JsonRows(const DataTable& table) : table_(table) {
    if (table.depth) keys_.push_back("\"depth\":");
    for (const DataColumn& column : table.columns) {
      keys_.push_back(JsonString(column.name) + ":");
    }
    for (size_t i = 0; i < keys_.size(); ++i) {
      keys_[i].insert(0, i == 0 ? "{" : ",");
    }
  }

  void Append(size_t row, const std::vector<DataCell>& cells,
              std::string* out) const {
    size_t key = 0;
    if (table_.depth) {
      *out += keys_[key++];
      AppendNumber(static_cast<int64_t>(table_.depth(row)), "", out);
    }
    AppendCells(cells, key, out);
  }

  void AppendTotals(std::string* out) const {
    size_t key = 0;
    if (table_.depth) *out += keys_[key++] + "null";
    AppendCells(table_.totals, key, out);
  }

 private:
  void AppendCells(const std::vector<DataCell>& cells, size_t key,
                   std::string* out) const {
    if (keys_.empty()) *out += '{';
    for (const DataCell& cell : cells) {
      *out += keys_[key++];
      AppendJsonCell(cell, out);
    }
    *out += '}';
  }

  const DataTable& table_;
  std::vector<std::string> keys_;
};

// `"schema":…,"version":…,"facts":…,"columns":…`, the parts by `between`.
void AppendHead(const DataTable& table, std::string_view between,
                std::string* out) {
  const auto to = std::back_inserter(*out);
  fmt::format_to(to, "\"schema\":{},\"version\":{},{}\"facts\":{{",
                 JsonString("tfprof." + table.kind), kVersion, between);
  bool first = true;
  for (const auto& [column, cell] : table.facts) {
    if (!std::exchange(first, false)) *out += ',';
    AppendJsonString(column.name, out);
    *out += ':';
    AppendJsonCell(cell, out);
  }
  fmt::format_to(to, "}},{}\"columns\":[", between);
  const auto add = [&](std::string_view name, Unit unit) {
    if (out->back() == '}') *out += ',';
    fmt::format_to(to, "{{\"name\":{},\"unit\":\"{}\"}}", JsonString(name),
                   UnitName(unit));
  };
  if (table.depth) add("depth", Unit::kCount);
  for (const DataColumn& column : table.columns) add(column.name, column.unit);
  *out += ']';
}

void AppendCounts(const DataTable& table, std::string* out) {
  fmt::format_to(
      std::back_inserter(*out), "\"returned\":{},\"total\":{},\"truncated\":{}",
      table.num_rows, table.total_rows, table.num_rows < table.total_rows);
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

}  // namespace

void WriteJson(const DataTable& table, Sink& sink) {
  std::string out = "{";
  AppendHead(table, "\n", &out);
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
  AppendCounts(table, &out);
  out += "}\n";
  sink.Write(out);
}

void WriteNdjson(const DataTable& table, Sink& sink) {
  std::string out = "{";
  AppendHead(table, "", &out);
  const JsonRows rows(table);
  if (!table.totals.empty()) {
    out += ",\"totals\":";
    rows.AppendTotals(&out);
  }
  out += ',';
  AppendCounts(table, &out);
  out += "}\n";
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
      if (const auto* text = std::get_if<std::string>(&cells[c])) {
        AppendCsvText(*text, &out);
      } else {
        AppendNumber(cells[c], "", &out);
      }
    }
    out += "\r\n";
    return true;
  });
  sink.Write(out);
}

void WriteMarkdown(const DataTable& table, Sink& sink,
                   const MarkdownLimits& limits) {
  std::string out = "tfprof." + table.kind;
  for (const auto& [column, cell] : table.facts) {
    fmt::format_to(std::back_inserter(out), ", {}: ", column.title);
    AppendMarkdownCell(cell, column.unit, limits.max_columns, &out);
  }
  std::string head = table.depth ? "| depth " : "";
  std::string rule = table.depth ? "|---:" : "";
  for (const DataColumn& column : table.columns) {
    if (column.rank > limits.max_rank) continue;
    head += "| " + column.name + " ";
    rule += column.unit == Unit::kText ? "|---" : "|---:";
  }
  out += "\n\n" + head + "|\n" + rule + "|\n";

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
  size_t written = 0, bytes = 0;
  ForEachRow(table, out, sink, [&](size_t row, const auto& cells) {
    const size_t before = out.size();
    append_row(table.depth ? std::to_string(table.depth(row)) : "", cells);
    bytes += out.size() - before;
    if (row >= limits.max_rows || (row > 0 && bytes > limits.max_bytes)) {
      out.resize(before);
      return false;
    }
    ++written;
    return true;
  });
  if (!table.totals.empty()) append_row("", table.totals);
  out += '\n';
  if (written < table.num_rows) {
    fmt::format_to(std::back_inserter(out),
                   "… {} more rows of {}; get them with: {}\n",
                   table.num_rows - written, table.num_rows, limits.all_rows);
  }
  if (table.num_rows < table.total_rows) {
    fmt::format_to(std::back_inserter(out),
                   "{} of {} rows are within the limits and filters.\n",
                   table.num_rows, table.total_rows);
  }
  sink.Write(out);
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
