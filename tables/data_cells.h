// The pieces that the writers of DataTable and DataDocument share: heads, rows
// and cells of JSON, CSV and Markdown. data_writers.h says what they look like.

#ifndef TFPROF_TABLES_DATA_CELLS_H_
#define TFPROF_TABLES_DATA_CELLS_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tables/data_table.h"
#include "util/sink.h"

namespace tfprof {

inline constexpr size_t kDataBufferBytes = 1 << 16;

// Calls `write` for each row until it is false, and flushes what it appended to
// `out`.
template <typename WriteRow>
void ForEachRow(const DataTable& table, std::string& out, Sink& sink,
                WriteRow write) {
  std::vector<DataCell> cells;
  for (size_t row = 0; row < table.num_rows; ++row) {
    table.cells(row, cells);
    if (!write(row, cells)) break;
    if (out.size() >= kDataBufferBytes) {
      sink.Write(out);
      out.clear();
    }
  }
}

// `"schema":"tfprof.op","version":1,"facts":{…}`, the last after `between`.
void AppendJsonHead(std::string_view kind, const DataFacts& facts,
                    std::string_view between, std::string* out);
// `"columns":[…],"rows":[…],"totals":{…},"returned":2,"total":36,…`, a line for
// each row; flushes to `sink` what grows too long.
void WriteJsonTable(const DataTable& table, std::string& out, Sink& sink);
// The same in one line, without the rows.
void AppendJsonShape(const DataTable& table, std::string* out);

// The objects of rows, whose keys are written once: `{"name":`, `,"micros":`.
class JsonRows {
 public:
  // `first` is what each row begins with: "", or `"table":"inputs"`.
  explicit JsonRows(const DataTable& table, std::string_view first = "");

  void Append(size_t row, const std::vector<DataCell>& cells,
              std::string* out) const;
  void AppendTotals(std::string* out) const;

 private:
  void AppendCells(const std::vector<DataCell>& cells, size_t key,
                   std::string* out) const;

  const DataTable& table_;
  std::vector<std::string> keys_;
};

// A cell that is no formula to a spreadsheet, quoted where it has to be.
void AppendCsvText(std::string_view text, std::string* out);
void AppendCsvCell(const DataCell& cell, std::string* out);

// A cell of a table that is no markup, shortened to `max_columns`.
void AppendMarkdownCell(const DataCell& cell, Unit unit, size_t max_columns,
                        std::string* out);
// `tfprof.op, command: op -step 1, step: 1` and a newline.
void AppendMarkdownHead(std::string_view kind, const DataFacts& facts,
                        size_t max_columns, std::string* out);

}  // namespace tfprof

#endif  // TFPROF_TABLES_DATA_CELLS_H_
