// TreePane: which rows of a tree are on the screen: those that are open, in the
// order of a measure, with a cursor.
//
//   TreePane pane;
//   pane.Show(rows, measure);
//   pane.Open();                        // the row at the cursor
//   for (const TreePane::Line& line : pane.lines()) …
//
// Only the children of open rows are asked for and sorted. Row 0, the whole
// profile, is the first line and always open.

#ifndef TFPROF_PROFILER_TUI_TREE_PANE_H_
#define TFPROF_PROFILER_TUI_TREE_PANE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "profiler/tui/row_marks.h"
#include "profiler/tui/tree_rows.h"
#include "util/run/cancellation.h"

namespace tfprof::tui {

class TreePane {
 public:
  struct Line {
    uint32_t row = kTopRow;
    uint32_t depth = 0;
    bool open = false;
    bool has_children = false;
  };
  // The open rows, and the row of the cursor.
  struct State {
    std::set<uint32_t> open;
    std::vector<uint32_t> path;  // of the cursor, from below row 0
  };
  enum class Found { kYes, kNo, kCancelled };

  // Other rows. `state` must be of rows with the same numbers.
  void Show(std::shared_ptr<const TreeRows> rows, const Measure& measure,
            const State& state);
  // Opens the rows that have most of the whole, and moves to the last of them:
  // each has at least a third of the row above it.
  void OpenHeaviest();
  void Sort(const Measure& measure);

  const TreeRows& rows() const { return *rows_; }
  const Measure& measure() const { return measure_; }
  const std::vector<Line>& lines() const { return lines_; }
  State state() const { return {open_, path()}; }

  size_t cursor() const { return cursor_; }
  // A number beyond the end means the last line.
  void MoveTo(size_t line);
  const Line& current() const { return lines_[cursor_]; }
  // The rows from below row 0 down to the row of the cursor.
  std::vector<uint32_t> path() const;

  void Open();
  void Close();
  // To the line of the row above.
  void MoveUp();
  // Opens the rows of `path` above its last one, and moves to that.
  void Reveal(std::span<const uint32_t> path);

  // Shows only rows whose names have `text`, with those above and below them;
  // "": all. False: cancelled, and nothing has changed.
  bool Filter(std::string_view text, const util::Cancellation* cancellation);
  const RowMarks& filter() const { return filter_; }
  // Moves to the next row that has `text`, open or not, or to the one before.
  // It goes on at the other end.
  Found Search(std::string_view text, bool forward,
               const util::Cancellation* cancellation);
  // The rows of the last search.
  const RowMarks& found() const { return found_; }

 private:
  const std::vector<uint32_t>& Ordered(uint32_t row);
  void Rebuild(const std::vector<uint32_t>& path);
  void OpenMatches();
  // From `path` to the next marked row, or to the one before; both expect that
  // there is one.
  void StepForward(std::vector<uint32_t>& path);
  void StepBackward(std::vector<uint32_t>& path);

  std::shared_ptr<const TreeRows> rows_;
  Measure measure_;
  std::set<uint32_t> open_;
  std::vector<Line> lines_;
  size_t cursor_ = 0;
  RowMarks filter_, found_;
  // The children of rows that were open, in order.
  std::unordered_map<uint32_t, std::vector<uint32_t>> ordered_;
};

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_TREE_PANE_H_
