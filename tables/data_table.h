// DataTable: the answer of a command as typed columns. The outputs table, json,
// ndjson, csv and markdown are all made from it, for the four views as well as
// for `steps` or `devices`. DataDocument: several tables, as in the answer of
// `show`.
//
// Rows are produced one by one, so a report of a million rows is not in memory
// twice. Units are in the names of the columns and in `unit`: µs, bytes,
// counts; a share is 0 to 1. The data that a table refers to (a Report, a
// Profile) must outlive it.

#ifndef TFPROF_TABLES_DATA_TABLE_H_
#define TFPROF_TABLES_DATA_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "util/text/unit.h"

namespace tfprof::tables {

struct DataColumn {
  std::string name;        // for programs, with unit: "total_micros"
  std::string title = "";  // for people, short: "total"
  util::Unit unit = util::Unit::kText;
  // The column for the share bar and the colour of heavy rows. Among several
  // columns about one quantity (self, total), only one has it.
  bool heat = false;
  // In a narrow window, columns with the highest rank are dropped first, and
  // columns with rank 0 last.
  int rank = 0;
  // A difference; people see it with its sign.
  bool delta = false;
  // The subject, if the column's name includes it for programs: the device of
  // "busy_micros_gpu_0". People read the title.
  std::string of = "";
  // Sentences, perhaps several lines. In a window, sentences are broken into
  // lines; names are shortened instead.
  bool prose = false;
  // The text that people see if a cell has no value.
  std::string nothing = "-";
  // For numbers whose unit differs between rows: the name of the column that
  // has the UnitName() of each row. Then `unit` is kNumber.
  std::string unit_column = "";
  // Only for programs: other columns show the same to people.
  bool data_only = false;
  // Made of block characters: only for people whose terminal supports them.
  bool drawn = false;
};

// monostate: unknown or not applicable.
using DataCell = std::variant<std::monostate, int64_t, double, std::string>;

// Facts about the whole answer: the step, the command, sums. A fact without a
// title is only for programs, and a fact without a name is only for people.
using DataFacts = std::vector<std::pair<DataColumn, DataCell>>;

struct DataTable {
  // "op": the schema is "tfprof.op". All schemas have the same version.
  std::string kind;
  std::vector<DataColumn> columns;
  // Only for a table that is a whole answer. In a document, the facts of the
  // document apply to all tables.
  DataFacts facts;
  size_t num_rows = 0;
  // The number of all rows; larger than num_rows if a limit excluded some.
  size_t total_rows = 0;
  // Fills `cells` with the cells of a row, one for each column. Any thread may
  // call it.
  std::function<void(size_t row, std::vector<DataCell>& cells)> cells;
  // Returns the depth of a row in a tree. Empty if the rows are a list.
  // Programs get it as the first column, "depth".
  std::function<uint32_t(size_t row)> depth;
  // The sums over all rows, shown below a table; may be empty.
  std::vector<DataCell> totals;
  // The command that shows all total_rows. Empty if limits and filters in the
  // options excluded rows.
  std::string rest;
};

struct DataDocument {
  struct Part {
    // For people: "Inputs". Empty if the table is the whole document.
    std::string title;
    DataTable table;  // its kind is its name here: "inputs"
  };
  std::string kind;
  DataFacts facts;
  // Includes tables without rows, which people do not see.
  std::vector<Part> parts;

  // True if the document is the answer of a command with one table.
  bool is_one_table() const {
    return parts.size() == 1 && parts[0].title.empty();
  }
};

// Returns a text as a cell.
inline DataCell TextCell(std::string_view text) { return std::string(text); }

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_DATA_TABLE_H_
