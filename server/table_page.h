// A part of a table, for a page that shows some rows of many: from a row on, a
// number of rows, sorted by a column, only those that have a text.
//
//   CutTables({.from = 200, .count = 100, .sort = "self_micros"}, …, answer)
//
// No table of an answer that was cut has more than kMaxPageRows rows, whatever
// was asked. Rows keep their depth in a tree, also when they are sorted. Cells
// without a value come last.

#ifndef TFPROF_SERVER_TABLE_PAGE_H_
#define TFPROF_SERVER_TABLE_PAGE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "tables/answer.h"
#include "util/cancellation.h"

namespace tfprof {

inline constexpr size_t kMaxPageRows = 10'000;
inline constexpr size_t kDefaultPageRows = 1'000;

struct TablePage {
  std::string table;  // by its kind; "": the first one
  size_t from = 0;
  size_t count = kDefaultPageRows;
  std::string sort;  // the name of a column; "": as the answer has them
  bool descending = false;
  std::string find;  // in a text of the row, in any case; "": all rows
};

// Replaces each table of `answer` by its page and returns how many rows of the
// chosen one can be reached. The other tables have their first rows.
// InvalidArgument: no such table or column. Cancelled.
absl::StatusOr<size_t> CutTables(const TablePage& page,
                                 const Cancellation* cancellation,
                                 Answer& answer);

}  // namespace tfprof

#endif  // TFPROF_SERVER_TABLE_PAGE_H_
