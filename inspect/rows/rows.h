// Rows: all steps of a profile as narrow tables of own values, for programs
// that join the profiles of many ranks.
//
//   tables::DataDocument rows = RowsDocument(views, options);
//
// Other answers are about one step or the average, and have shares and running
// totals. Here each row is of one step and has only what is its own, so rows of
// many files can be added up. All numbers are integers; times are nanoseconds,
// and starts count from the origin of the profile. What is not known has no
// value. The tables:
//
//   steps        one row for each step and device: the wall time, which is the
//                sum of computation, communication, copies and idle time that
//                nothing before in this order hides
//                (timeline/account/account.h)
//   account      the same wall time by part; parts without time have no row
//   ops          the types of operations in each step
//   scopes       the scopes in each step, to a depth
//   code         lines of code, as the average over the steps
//   collectives  each collective of each device, and the calls in dumps of
//                flight recorders
//   phases       what each step of an inference engine did, and the operations
//                of pipelines
//   memory       the peaks of each device in each step
//   executions   each execution: when it ran, on which lane, what it adds to
//                the sums, and which call it is inside of
//   links        which execution launched, fed or sent to which other one
//
// The last two have a row for each event of a trace, and are only made if they
// are named. A table that is not wanted costs nothing and is not in the
// document. `views` must outlive the document.

#ifndef TFPROF_INSPECT_ROWS_ROWS_H_
#define TFPROF_INSPECT_ROWS_ROWS_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "tables/data_table.h"
#include "views/views.h"

namespace tfprof::inspect {

// The names of the tables, in their order.
std::span<const std::string_view> RowTables();

struct RowOptions {
  // The wanted tables; empty: all but executions and links. Each must be one
  // of RowTables().
  std::set<std::string, std::less<>> tables;
  // The rows of `scopes` and `code` are at most as deep; the root is 0.
  int32_t depth = 4;
  // Step, float operations and account types apply to all rows.
  views::ViewOptions view;
};

tables::DataDocument RowsDocument(views::Views& views,
                                  const RowOptions& options);

}  // namespace tfprof::inspect

#endif  // TFPROF_INSPECT_ROWS_ROWS_H_
