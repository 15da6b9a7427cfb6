// StatusTable: one table of `status` about a CTF trace, built row by row.

#ifndef TFPROF_EXPORTERS_REFERENCE_LTTNG_STATUS_TABLE_H_
#define TFPROF_EXPORTERS_REFERENCE_LTTNG_STATUS_TABLE_H_

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tables/data_table.h"
#include "tables/table_builder.h"

namespace tfprof::exporters {

class StatusTable {
 public:
  struct Column {
    std::string_view name;  // for programs and people: "total_ns"
    bool is_text = false;   // false: an integer
  };
  // `name` is for programs ("trace_ops"), `title` for people.
  StatusTable(std::string name, std::string title,
              std::initializer_list<Column> columns)
      : title_(std::move(title)), table_(std::move(name), Columns(columns)) {}

  // Needs one cell for each column.
  void AddRow(std::vector<tables::DataCell> cells) {
    table_.AddRow(std::move(cells));
  }

  // Leaves out a table without rows.
  void AddTo(std::vector<tables::DataDocument::Part>& parts) && {
    if (table_.size() == 0) return;
    parts.push_back({std::move(title_), std::move(table_).Build()});
  }

 private:
  static std::vector<tables::DataColumn> Columns(
      std::initializer_list<Column> columns) {
    std::vector<tables::DataColumn> all;
    for (const Column& column : columns) {
      all.push_back(
          {.name = std::string(column.name),
           .title = std::string(column.name),
           .unit = column.is_text ? util::Unit::kText : util::Unit::kNumber});
    }
    return all;
  }

  std::string title_;
  tables::TableBuilder table_;
};

}  // namespace tfprof::exporters

#endif  // TFPROF_EXPORTERS_REFERENCE_LTTNG_STATUS_TABLE_H_
