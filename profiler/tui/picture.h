// Picture: the screen of the browser as text in styles, without a terminal.
//
// Text is harmless to a terminal (util/text/safe_text.h), is on one line, and
// fits into the columns that it has.

#ifndef TFPROF_PROFILER_TUI_PICTURE_H_
#define TFPROF_PROFILER_TUI_PICTURE_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof::tui {

enum class Style {
  kPlain,
  kTitle,     // the first and the last line
  kHeading,   // of a pane
  kActive,    // heading of the pane that the keys go to
  kHot,       // a heavy row
  kWarm,      // a less heavy one
  kDim,       // a light one, and lines between panes
  kSelected,  // the row at the cursor
  kMarked,    // the same in a pane that the keys do not go to
  kMessage,
};

struct Picture {
  struct Span {
    size_t x = 0;
    std::string text;
    Style style = Style::kPlain;
  };
  size_t width = 0;
  size_t height = 0;
  std::vector<std::vector<Span>> lines;  // `height` of them; later spans cover
  // A person types text there; none if `cursor` is false.
  bool cursor = false;
  size_t cursor_x = 0;
  size_t cursor_y = 0;

  void Put(size_t x, size_t y, std::string text, Style style) {
    if (y < lines.size()) lines[y].push_back({x, std::move(text), style});
  }
};

// A name for the screen: control characters are escaped, and without `unicode`
// all bytes that are not ASCII.
std::string ScreenText(std::string_view text, bool unicode);

// `text` in exactly `columns` columns: cut or padded. Text that is too long
// loses its middle.
std::string InColumns(std::string_view text, size_t columns, bool unicode);
// The same at the right end of the columns.
std::string AtRight(std::string_view text, size_t columns);

}  // namespace tfprof::tui

#endif  // TFPROF_PROFILER_TUI_PICTURE_H_
