// DataTable: what a command answers, as typed columns. The one value that the
// outputs table, json, ndjson, csv and markdown are made of, for the four views
// as for `steps` or `devices`. DataDocument: several of them, as `show`
// answers.
//
// Rows are asked for one after the other, so that a report of a million rows is
// never in memory a second time. Units are in the names of the columns and in
// `unit`: µs, bytes, counts; a share is 0 to 1. What a table refers to (a
// Report, a Profile) must outlive it.

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
  // Of several columns about one quantity (self, total) the one that a share
  // bar and the colour of a heavy row are for.
  bool heat = false;
  // What gives way first where a window is narrow: the highest. 0: nothing.
  int rank = 0;
  // A difference: people see its sign, and its size in the unit that fits.
  bool delta = false;
  // What it is about where the name cannot say it: the device of "busy_micros".
  // For programs; people have the title.
  std::string of = "";
  // Sentences, perhaps of several lines: in a window they are broken into
  // lines, and not shortened as names are.
  bool prose = false;
  // What people read where a cell has nothing.
  std::string nothing = "-";
  // Numbers whose unit differs from row to row: the name of the column that
  // holds the UnitName() of each row. `unit` is then kNumber.
  std::string unit_column = "";
  // For programs: people are not shown it, because other columns say it.
  bool data_only = false;
  // Made of block characters: only for people whose terminal has them.
  bool drawn = false;
};

// Nothing: not known, or does not apply.
using DataCell = std::variant<std::monostate, int64_t, double, std::string>;

// What holds for the whole: the step, the command that made it, sums. One
// without a title is for programs only, one without a name for people only.
using DataFacts = std::vector<std::pair<DataColumn, DataCell>>;

struct DataTable {
  // "op": the schema is "tfprof.op", and its version is one for all.
  std::string kind;
  std::vector<DataColumn> columns;
  // Of a table that is an answer of its own; in a document, those of the
  // document hold for all of its tables.
  DataFacts facts;
  size_t num_rows = 0;
  // Rows there are; more than num_rows when a limit cut some off.
  size_t total_rows = 0;
  // Fills `cells` with those of a row, one for each column. From any thread.
  std::function<void(size_t row, std::vector<DataCell>& cells)> cells;
  // How far a row is indented under the ones before it; empty: a list. Programs
  // see it as the column "depth", first.
  std::function<uint32_t(size_t row)> depth;
  // The sum over all rows, shown below a table; empty: none.
  std::vector<DataCell> totals;
  // The command that answers with all of total_rows; empty: a limit or a filter
  // of the options left them out.
  std::string rest;
};

struct DataDocument {
  struct Part {
    // For people: "Inputs". Empty: the table is all of the document.
    std::string title;
    DataTable table;  // its kind is its name in here: "inputs"
  };
  std::string kind;
  DataFacts facts;
  // Also those without rows, which people are not shown.
  std::vector<Part> parts;

  // It is the answer of a command that has one table.
  bool is_one_table() const {
    return parts.size() == 1 && parts[0].title.empty();
  }
};

// A cell of a number or text, from what it may be made of.
inline DataCell TextCell(std::string_view text) { return std::string(text); }

}  // namespace tfprof

#endif  // TFPROF_TABLES_DATA_TABLE_H_
