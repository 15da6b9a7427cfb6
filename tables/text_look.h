// TextLook: the window that a text or a table is laid out for.

#ifndef TFPROF_TABLES_TEXT_LOOK_H_
#define TFPROF_TABLES_TEXT_LOOK_H_

#include <cstddef>

#include "util/text_layout.h"

namespace tfprof {

struct TextLook {
  // Columns of the window; 0: there is none, as for a file or a pipe. Then rows
  // are as wide as their names, and sentences are broken at kPageColumns.
  size_t width = 0;
  // Lines that an answer may fill; 0: as many as it needs. Rows that do not fit
  // are counted instead of shown.
  size_t height = 0;
  bool color = false;
  bool bars = false;    // draw shares: a person is at the terminal
  bool unicode = true;  // false: only ASCII, except in names

  size_t page() const { return width == 0 ? kPageColumns : width; }
};

}  // namespace tfprof

#endif  // TFPROF_TABLES_TEXT_LOOK_H_
