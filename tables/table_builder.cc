#include "tables/table_builder.h"

#include <algorithm>

namespace tfprof::tables {

DataCell IntCell(int64_t value, bool known) {
  DataCell cell;
  if (known) cell = value;
  return cell;
}

DataCell ShareCell(int64_t part, int64_t whole) {
  if (whole == 0) return {};
  return static_cast<double>(part) / static_cast<double>(whole);
}

TableBuilder::TableBuilder(std::string kind, std::vector<DataColumn> columns)
    : rows_(std::make_shared<std::vector<std::vector<DataCell>>>()) {
  table_.kind = std::move(kind);
  table_.columns = std::move(columns);
}

void TableBuilder::AddFact(DataColumn column, DataCell value) {
  table_.facts.emplace_back(std::move(column), std::move(value));
}

DataTable TableBuilder::Build() && {
  table_.num_rows = rows_->size();
  table_.total_rows = std::max(total_rows_, rows_->size());
  table_.cells = [rows = rows_](size_t row, std::vector<DataCell>& cells) {
    cells = (*rows)[row];
  };
  return std::move(table_);
}

}  // namespace tfprof::tables
