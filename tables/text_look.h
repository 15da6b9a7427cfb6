// TextLook: the window for which a text or a table is laid out.

#ifndef TFPROF_TABLES_TEXT_LOOK_H_
#define TFPROF_TABLES_TEXT_LOOK_H_

#include <cstddef>

#include "util/text/text_layout.h"

namespace tfprof::tables {

struct TextLook {
  // The columns of the window; 0: there is no window, as for a file or a pipe.
  // Then rows are as wide as their names, and sentences are broken at
  // kPageColumns.
  size_t width = 0;
  // The maximum number of lines of an answer; 0: no limit. Rows that do not fit
  // are not shown, but counted in a last line.
  size_t height = 0;
  bool color = false;
  bool bars = false;    // draw bars for shares, for a person at a terminal
  bool unicode = true;  // false: only ASCII, except in names

  size_t page() const { return width == 0 ? util::kPageColumns : width; }
};

}  // namespace tfprof::tables

#endif  // TFPROF_TABLES_TEXT_LOOK_H_
