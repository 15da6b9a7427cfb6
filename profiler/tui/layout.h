// Layout: where the panes of the browser are in a window.
//
//   line 0             title
//   line 1             headings of the panes
//   lines 2 to h - 3   rows
//   line h - 2         messages, and what a person types
//   line h - 1         keys
//
// A wide window has three panes side by side, with a line between two. A
// narrow one has only the pane that the keys go to.

#ifndef TFPROF_PROFILER_TUI_LAYOUT_H_
#define TFPROF_PROFILER_TUI_LAYOUT_H_

#include <algorithm>
#include <array>
#include <cstddef>

namespace tfprof::tui {

enum class Pane { kSteps, kTree, kDetails };
inline constexpr size_t kNumPanes = 3;

// The smallest window.
inline constexpr size_t kLeastWidth = 40;
inline constexpr size_t kLeastHeight = 8;

struct Layout {
  struct Columns {
    size_t begin = 0;
    size_t width = 0;  // 0: the pane is not shown
  };
  static constexpr size_t kFirstRow = 2;

  bool fits = false;  // the window is large enough
  std::array<Columns, kNumPanes> panes;
  size_t rows = 0;  // of each pane

  const Columns& of(Pane pane) const {
    return panes[static_cast<size_t>(pane)];
  }
};

// `steps`: the columns that the pane of the steps needs.
inline Layout MakeLayout(size_t width, size_t height, Pane focus,
                         size_t steps) {
  constexpr size_t kThreePanes = 72;
  constexpr size_t kWide = 110;
  Layout layout;
  if (width < kLeastWidth || height < kLeastHeight) return layout;
  layout.fits = true;
  layout.rows = height - 4;
  if (width < kThreePanes) {
    layout.panes[static_cast<size_t>(focus)] = {0, width};
    return layout;
  }
  const size_t rest = width - steps - 2;
  // In a narrow window the details have room only while they are read.
  const size_t percent = focus == Pane::kDetails ? (width < kWide ? 62 : 50)
                         : width < kWide         ? 34
                                                 : 40;
  const size_t details = rest * percent / 100;
  const size_t tree = rest - details;
  layout.panes = {{{0, steps}, {steps + 1, tree}, {steps + tree + 2, details}}};
  return layout;
}

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_LAYOUT_H_
