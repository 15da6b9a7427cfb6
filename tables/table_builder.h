// TableBuilder: builds a DataTable row by row.
//
// It is for answers of at most some thousand rows (the nodes around a node, the
// steps of a profile): the table owns its rows and refers to no other data.

#ifndef TFPROF_TABLES_TABLE_BUILDER_H_
#define TFPROF_TABLES_TABLE_BUILDER_H_

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tables/data_table.h"

namespace tfprof::tables {

// Returns a number; no value if it is not known.
DataCell IntCell(int64_t value, bool known = true);
// Returns `part` divided by `whole`; no value if `whole` is 0.
DataCell ShareCell(int64_t part, int64_t whole);

class TableBuilder {
 public:
  TableBuilder(std::string kind, std::vector<DataColumn> columns);

  void AddFact(DataColumn column, DataCell value);
  DataFacts* facts() { return &table_.facts; }
  // Adds a row with one cell for each column.
  void AddRow(std::vector<DataCell> cells) {
    rows_->push_back(std::move(cells));
  }
  size_t size() const { return rows_->size(); }
  // Sets the number of all rows if it is larger than the number of added rows.
  void SetTotalRows(size_t total) { total_rows_ = total; }
  void SetTotals(std::vector<DataCell> totals) {
    table_.totals = std::move(totals);
  }

  DataTable Build() &&;

 private:
  DataTable table_;
  size_t total_rows_ = 0;
  std::shared_ptr<std::vector<std::vector<DataCell>>> rows_;
};

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_TABLE_BUILDER_H_
