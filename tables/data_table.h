// DataTable: the answer of a command as typed columns. The outputs table, json,
// ndjson, csv and markdown are all made from it, for the four views as well as
// for `steps` or `devices`. DataDocument: several tables, as in the answer of
// `show`.
//
// Rows are produced one by one, so that a report of a million rows is not in
// memory twice. Units are in the names of the columns and in `unit`: µs, bytes,
// counts; a share is 0 to 1. What a table refers to (a Report, a Profile) must
// outlive it.

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

#include "util/unit.h"

namespace tfprof {

struct DataColumn {
  std::string name;        // for programs, with the unit: "total_micros"
  std::string title = "";  // for people, short: "total"
  Unit unit = Unit::kText;
  // The column for the share bar and for the colour of heavy rows. Only one of
  // several columns about one quantity (self, total) has it.
  bool heat = false;
  // In a narrow window, columns of the highest rank are dropped first; those of
  // rank 0 last.
  int rank = 0;
  // A difference: people see it with its sign.
  bool delta = false;
  // The subject, if the name cannot hold it: the device of "busy_micros_gpu_0".
  // For programs; people read the title.
  std::string of = "";
  // Sentences, perhaps several lines of them. In a window they are broken into
  // lines; names are shortened instead.
  bool prose = false;
  // The text for people if a cell has no value.
  std::string nothing = "-";
  // Numbers whose unit differs from row to row: the name of the column that
  // holds the UnitName() of each row. `unit` is then kNumber.
  std::string unit_column = "";
  // Only for programs: people have other columns that say the same.
  bool data_only = false;
  // Made of block characters: only for people whose terminal has them.
  bool drawn = false;
};

// monostate: not known, or does not apply.
using DataCell = std::variant<std::monostate, int64_t, double, std::string>;

// Facts about the whole answer: the step, the command, sums. A fact without a
// title is for programs only, one without a name for people only.
using DataFacts = std::vector<std::pair<DataColumn, DataCell>>;

struct DataTable {
  // "op": the schema is "tfprof.op", and its version is one for all.
  std::string kind;
  std::vector<DataColumn> columns;
  // Only for a table that is a whole answer. In a document, the facts of the
  // document hold for all tables.
  DataFacts facts;
  size_t num_rows = 0;
  // The number of all rows; more than num_rows if a limit cut some off.
  size_t total_rows = 0;
  // Fills `cells` with those of a row, one for each column. Any thread may call
  // it.
  std::function<void(size_t row, std::vector<DataCell>& cells)> cells;
  // The depth of a row in a tree; empty: the rows are a list. Programs see it
  // as the first column, "depth".
  std::function<uint32_t(size_t row)> depth;
  // The sum over all rows, shown below a table; empty: none.
  std::vector<DataCell> totals;
  // The command that shows all of total_rows. Empty: the limits and filters of
  // the options cut rows off.
  std::string rest;
};

struct DataDocument {
  struct Part {
    // For people: "Inputs". Empty: the table is the whole document.
    std::string title;
    DataTable table;  // its kind is its name in here: "inputs"
  };
  std::string kind;
  DataFacts facts;
  // Also tables without rows, which people do not see.
  std::vector<Part> parts;

  // True: the document is the answer of a command with one table.
  bool is_one_table() const {
    return parts.size() == 1 && parts[0].title.empty();
  }
};

// A text as a cell.
inline DataCell TextCell(std::string_view text) { return std::string(text); }

}  // namespace tfprof

#endif  // TFPROF_TABLES_DATA_TABLE_H_
