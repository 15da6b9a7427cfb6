// Text layout for people: widths in columns, and line breaks.
//
// A UTF-8 character takes the columns given by character_width.h. A byte that
// is not part of a character takes one.

#ifndef TFPROF_UTIL_TEXT_TEXT_LAYOUT_H_
#define TFPROF_UTIL_TEXT_TEXT_LAYOUT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace tfprof::util {

// The minimum width of a terminal.
inline constexpr size_t kPageColumns = 80;

// Returns the width of `text`, which has no newline.
size_t Columns(std::string_view text);

// Returns how many bytes of `text` fit into `columns`, without splitting a
// character.
size_t PrefixInColumns(std::string_view text, size_t columns);

// Shortens `text` to at most `columns` columns. If it is too wide, `ellipsis`
// replaces its middle: the front keeps a third of the columns, and the end,
// where names differ, keeps the rest.
std::string Shortened(std::string_view text, size_t columns,
                      std::string_view ellipsis);

// Appends `text` and pads it with spaces to `columns` columns.
void AppendPadded(std::string_view text, size_t columns, std::string* out);

// Appends `text` in lines of at most `page` columns, broken at spaces, and a
// newline. The first line starts at column `indent`, which `out` has reached;
// the others begin with `indent` spaces. Newlines in `text` stay. A word that
// is longer than a line is not split.
void AppendWrapped(std::string_view text, size_t indent, std::string* out,
                   size_t page = kPageColumns);

// Fits `text` into a window of `page` columns by breaking lines that are too
// wide. The text of an entry ("  name   text") continues in its own column. If
// AppendWrapped() has broken `text` for kPageColumns (`broken`), the lines of
// each paragraph are joined first.
std::string FitLines(std::string_view text, size_t page, bool broken);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_TEXT_LAYOUT_H_
