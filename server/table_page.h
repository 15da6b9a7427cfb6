// Cuts tables to the rows that a page shows: a range of rows, after sorting by
// a column and filtering by a text.
//
//   CutTables({.from = 200, .count = 100, .sort = "self_micros"}, …, answer)
//
// Tables are always cut to at most kMaxPageRows rows. Rows keep their depth in
// a tree, even when they are sorted. Cells without a value come last.

#ifndef TFPROF_SERVER_TABLE_PAGE_H_
#define TFPROF_SERVER_TABLE_PAGE_H_

#include <cstddef>
#include <string>

#include "absl/status/statusor.h"
#include "tables/answer.h"
#include "util/run/cancellation.h"

namespace tfprof::server {

inline constexpr size_t kMaxPageRows = 10'000;
inline constexpr size_t kDefaultPageRows = 1'000;

struct TablePage {
  std::string table;  // the kind; "" is the first table
  size_t from = 0;
  size_t count = kDefaultPageRows;
  std::string sort;  // a column's name; "" keeps the order
  bool descending = false;
  std::string find;  // case-insensitive text; "": all rows
};

// Replaces each table of `answer` by its page. Returns the number of rows of
// the chosen table from which pages can be cut. Other tables keep their first
// rows. Errors: InvalidArgument if there is no such table or column, Cancelled.
absl::StatusOr<size_t> CutTables(const TablePage& page,
                                 const util::Cancellation* cancellation,
                                 tables::Answer& answer);

}  // namespace tfprof::server

#endif  // TFPROF_SERVER_TABLE_PAGE_H_
