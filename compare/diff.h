// Diff: a view of two profiles, row by row.
//
//   Diff diff = DiffViews(View::kOp, base_views, views, options);
//
// `before` is the base, `after` the profile that is compared with it. A row is
// included if it passes the options on either side, with the values of both. A
// row whose selected statistics are equal is counted in `unchanged` and not
// shown, unless a row below it is shown. A value is a row's total in scope,
// graph and code, and the op's own value in op, not the sum to the end of the
// list, which depends on the order. -account_displayed_op_only has no effect,
// and -max_depth N of op counts rows of the diff.
//
// Trees have the structure of `after`; a row that is gone is below the row that
// matches its parent. match.h defines which rows match.
//
// Units are the units of Stats: bytes, and ticks. `ticks_per_micro` ticks are a
// microsecond; the ticks are the shorter ones of the two profiles. Names belong
// to the profiles, which must outlive the Diff.

#ifndef TFPROF_COMPARE_DIFF_H_
#define TFPROF_COMPARE_DIFF_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "accounting/node_stats.h"
#include "views/options.h"
#include "views/views.h"

namespace tfprof::compare {

// The order of siblings, or of the rows of op.
enum class DiffOrder {
  // The largest change of the first value first, up or down; the next values
  // decide among equals.
  kChange,
  kOptions,  // by ViewOptions: by name, or `after`, then `before`
};

struct DiffRow {
  enum class Status { kBoth, kNew, kGone };

  std::string_view before_name;          // empty: new
  std::string_view after_name;           // empty: gone
  uint32_t before_row = profile::kNone;  // in the table of the view
  uint32_t after_row = profile::kNone;
  uint32_t depth = 0;
  std::string_view role;  // of an operation (OpRoles::Of())
  // kRunCount is the number of runs.
  accounting::Stats before = {};
  accounting::Stats after = {};
  // Nodes of the row: defined at and below it in scope and graph, its own in op
  // and code.
  int64_t before_nodes = 0;
  int64_t after_nodes = 0;

  Status status() const {
    return before_row == profile::kNone  ? Status::kNew
           : after_row == profile::kNone ? Status::kGone
                                         : Status::kBoth;
  }
  std::string_view name() const {
    return after_row == profile::kNone ? before_name : after_name;
  }
};

// One of the numbers that a diff compares: a statistic of a row, or the number
// of its nodes.
struct ComparedValue {
  accounting::Stat stat = accounting::kMicros;
  bool definitions = false;  // the nodes, instead of `stat`
  // A sum of times on accelerators and on CPUs, which the values behind it
  // show: both pass at the same time, so people get two numbers.
  bool is_split = false;

  int64_t Before(const DiffRow& row) const {
    return definitions ? row.before_nodes : row.before[stat];
  }
  int64_t After(const DiffRow& row) const {
    return definitions ? row.after_nodes : row.after[stat];
  }
};

struct Diff {
  views::View view = views::View::kScope;
  int64_t ticks_per_micro = 1;  // for `rows` and `total`
  // The first one is the main one.
  std::vector<ComparedValue> values;
  std::vector<DiffRow> rows;
  // The sums of all accounted rows, shown or not.
  DiffRow total;
  int64_t unchanged = 0;
  // The noise, for averages over steps: for each row, the part of the change of
  // the first value that the variation of the steps can explain (noise.h), in
  // the value's unit; nullopt: too few steps on a side. Empty if these values
  // have no noise.
  std::vector<std::optional<double>> noise;
};

// The selected columns that are numbers, in the order of the statistics.
// Definitions follow runs, as in the views.
std::vector<ComparedValue> ComparedValues(views::FieldSet select);

// options.step must be negative or a step that both profiles list.
Diff DiffViews(views::View view, views::Views& before, views::Views& after,
               const views::ViewOptions& options, DiffOrder order);

// All accounted rows of a view, matched, in the order of the view and without
// filters: for callers that look up rows by name. Times are in ticks as in
// Diff.
std::vector<DiffRow> MatchRows(views::View view, views::Views& before,
                               views::Views& after, int64_t step,
                               const views::RegexPatterns& types);

// What is below a row of a tree of `after`: its children with their totals, or
// all nodes with their own values. Depths are 0.
enum class Below { kChildren, kNodes };
Diff DiffBelow(views::View tree, uint32_t row, Below below,
               views::Views& before, views::Views& after,
               const views::ViewOptions& options, DiffOrder order);

}  // namespace tfprof::compare

#endif  // TFPROF_COMPARE_DIFF_H_
