// TreeRows: the tree that the browser shows, as numbered rows.
//
//   std::unique_ptr<TreeRows> rows = MakeRows(View::kScope, options,
//   workspace); for (uint32_t child : rows->Children(kTopRow))
//   rows->Name(child) …
//
// Row 0 is the whole profile. Rows have dense numbers below size(). Children,
// labels and cells are made when they are asked for, so that a profile of a
// million nodes costs what is open on the screen. The numbers are those of the
// views (views/views.h) with the same names, units and values: the children of
// an op are its nodes; all other rows are those of the view.
//
// A *measure* is what rows are sorted by and what their main column shows: a
// statistic, in total or of the row itself, or the name.
//
// Rows refer to the profile of the workspace, which must outlive them. For one
// thread.

#ifndef TFPROF_PROFILER_TUI_TREE_ROWS_H_
#define TFPROF_PROFILER_TUI_TREE_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/commands/workspace.h"
#include "tables/data_table.h"
#include "views/options.h"
#include "views/report.h"

namespace tfprof::tui {

// The whole profile.
inline constexpr uint32_t kTopRow = 0;

struct Measure {
  accounting::Stat stat = accounting::kMicros;
  bool self = false;     // of the row alone
  bool by_name = false;  // sorted by name; the column is still `stat`

  friend bool operator==(const Measure&, const Measure&) = default;
};

class TreeRows {
 public:
  virtual ~TreeRows() = default;

  virtual size_t size() const = 0;
  // In the view's own order.
  virtual std::vector<uint32_t> Children(uint32_t row) const = 0;
  virtual bool HasChildren(uint32_t row) const = 0;
  // The part of the name that the row adds to the row above it.
  virtual std::string_view Label(uint32_t row) const = 0;
  virtual std::string_view Name(uint32_t row) const = 0;

  // The columns of numbers, the main one first. The layout drops the columns
  // with the highest rank first.
  virtual std::vector<tables::DataColumn> Columns(
      const Measure& measure) const = 0;
  virtual void Cells(uint32_t row, const Measure& measure,
                     std::vector<tables::DataCell>& cells) const = 0;
  // Larger ones come first.
  virtual int64_t Key(uint32_t row, const Measure& measure) const = 0;
  // The share of the whole profile, for colours; 0: there is none.
  virtual double Share(uint32_t row, const Measure& measure) const = 0;

  // The facts about the row. `path`: the rows from below row 0 down to it.
  virtual tables::DataDocument Details(
      std::span<const uint32_t> path) const = 0;

  // The orders of rows: statistics of which the profile has some, then the
  // name.
  virtual std::vector<Measure> Measures() const = 0;
};

// The rows of a view, with the step, types and source of float operations of
// `options`. An error if the profile has no such view or step.
absl::StatusOr<std::unique_ptr<TreeRows>> MakeRows(
    views::View view, const views::ViewOptions& options,
    commands::Workspace& workspace);

// The differences to workspace.base in the statistic `stat`, the largest change
// first.
absl::StatusOr<std::unique_ptr<TreeRows>> MakeDiffRows(
    views::View view, const views::ViewOptions& options, accounting::Stat stat,
    commands::Workspace& workspace);

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_TREE_ROWS_H_
