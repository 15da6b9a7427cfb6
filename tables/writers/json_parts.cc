#include "tables/writers/json_parts.h"

#include <cstdint>
#include <iterator>
#include <utility>

#include "fmt/format.h"
#include "tables/cell_text.h"
#include "util/json/json_string.h"

namespace tfprof::tables {
namespace {

void AppendJsonCell(const DataCell& cell, std::string* out) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    util::AppendJsonString(*text, out);
  } else {
    AppendNumber(cell, "null", out);
  }
}

}  // namespace

void AppendJsonHead(std::string_view kind, const DataFacts& facts,
                    std::string_view between, std::string* out) {
  fmt::format_to(
      std::back_inserter(*out), "\"schema\":{},\"version\":{},{}\"facts\":{{",
      util::JsonString("tfprof." + std::string(kind)), kSchemaVersion, between);
  bool first = true;
  for (const auto& [column, cell] : facts) {
    if (column.name.empty()) continue;
    if (!std::exchange(first, false)) *out += ',';
    util::AppendJsonString(column.name, out);
    *out += ':';
    AppendJsonCell(cell, out);
  }
  *out += '}';
}

void AppendJsonColumns(const DataTable& table, std::string* out) {
  *out += "\"columns\":[";
  const auto add = [&](std::string_view name, util::Unit unit,
                       std::string_view of) {
    if (out->back() == '}') *out += ',';
    fmt::format_to(std::back_inserter(*out), "{{\"name\":{},\"unit\":\"{}\"",
                   util::JsonString(name), util::UnitName(unit));
    if (!of.empty()) *out += ",\"of\":" + util::JsonString(of);
    *out += '}';
  };
  if (table.depth) add("depth", util::Unit::kCount, "");
  for (const DataColumn& column : table.columns) {
    add(column.name, column.unit, column.of);
  }
  *out += ']';
}

void AppendJsonCounts(const DataTable& table, std::string* out) {
  fmt::format_to(
      std::back_inserter(*out), "\"returned\":{},\"total\":{},\"truncated\":{}",
      table.num_rows, table.total_rows, table.num_rows < table.total_rows);
}

JsonRows::JsonRows(const DataTable& table, std::string_view first)
    : table_(table) {
  if (table.depth) keys_.push_back("\"depth\":");
  for (const DataColumn& column : table.columns) {
    keys_.push_back(util::JsonString(column.name) + ":");
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

}  // namespace tfprof::tables
