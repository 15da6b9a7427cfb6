// Helpers for the tables of rows.h: columns of integers, and a table whose rows
// are kept as plain values.

#ifndef TFPROF_INSPECT_ROWS_ROW_TABLE_H_
#define TFPROF_INSPECT_ROWS_ROW_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "profile/profile.h"
#include "tables/data_table.h"
#include "tables/table_builder.h"
#include "views/views.h"

namespace tfprof::inspect {

inline tables::DataColumn NumberColumn(const std::string& name) {
  return {.name = name, .title = name, .unit = util::Unit::kNumber};
}
inline tables::DataColumn CountColumn(const std::string& name) {
  return {.name = name, .title = name, .unit = util::Unit::kCount};
}
inline tables::DataColumn BytesColumn(const std::string& name) {
  return {.name = name, .title = name, .unit = util::Unit::kBytes};
}
inline tables::DataColumn WordColumn(const std::string& name) {
  return {.name = name, .title = name};
}

inline tables::DataCell WordIfAny(std::string_view text) {
  return text.empty() ? tables::DataCell() : tables::TextCell(text);
}

// A table with a row for each of `rows`; `fill(row, cells)` appends its cells.
template <typename Row, typename Fill>
tables::DataTable TableOf(std::string kind,
                          std::vector<tables::DataColumn> columns,
                          std::vector<Row> rows, Fill fill) {
  tables::DataTable table;
  table.kind = std::move(kind);
  table.columns = std::move(columns);
  table.num_rows = table.total_rows = rows.size();
  table.cells = [kept =
                     std::make_shared<const std::vector<Row>>(std::move(rows)),
                 fill = std::move(fill)](size_t row,
                                         std::vector<tables::DataCell>& cells) {
    cells.clear();
    fill((*kept)[row], cells);
  };
  return table;
}

// The listed steps, or only the one of the options.
std::vector<const profile::Step*> WantedSteps(const profile::Profile& profile,
                                              int64_t step);

// Each makes one table of rows.h.
tables::DataTable OpRowsTable(views::Views& views,
                              const views::ViewOptions& options);
tables::DataTable ScopeRowsTable(views::Views& views,
                                 const views::ViewOptions& options,
                                 int32_t depth);
tables::DataTable CodeRowsTable(views::Views& views,
                                const views::ViewOptions& options,
                                int32_t depth);
tables::DataTable CollectiveRowsTable(views::Views& views, int64_t step);
tables::DataTable PhaseRowsTable(views::Views& views, int64_t step);
tables::DataTable MemoryRowsTable(views::Views& views, int64_t step);
// What the rows of executions leave out.
struct ExecutionSums {
  // Executions whose own times are not known, and what they are together.
  int64_t without_self = 0;
  int64_t nanos_without_self = 0;
  // Steps whose executions were dropped to save memory.
  int64_t aggregated_steps = 0;
};
tables::DataTable ExecutionRowsTable(views::Views& views, int64_t step,
                                     ExecutionSums& sums);
tables::DataTable LinkRowsTable(views::Views& views, int64_t step);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_ROWS_ROW_TABLE_H_
