// Layout of text for a person: widths in columns, and broken lines.
//
// A UTF-8 character takes the columns that character_width.h says. A byte that
// is not part of a character takes one.

#ifndef TFPROF_UTIL_TEXT_LAYOUT_H_
#define TFPROF_UTIL_TEXT_LAYOUT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace tfprof {

// The width that any terminal has.
inline constexpr size_t kPageColumns = 80;

// The columns of `text`, which has no newline.
size_t Columns(std::string_view text);

// How many bytes of `text` fit into `columns`, whole characters.
size_t PrefixInColumns(std::string_view text, size_t columns);

// `text` in at most `columns` columns. If it is too wide, `ellipsis` replaces
// its middle: the front keeps a third of the columns and the end, where names
// differ, keeps the rest.
std::string Shortened(std::string_view text, size_t columns,
                      std::string_view ellipsis);

// Appends `text` and then blanks up to `columns` columns.
void AppendPadded(std::string_view text, size_t columns, std::string* out);

// Appends `text` in lines of at most `page` columns, broken at blanks, and a
// newline. The first line starts at column `indent`, which `out` has reached;
// the others begin with that many blanks. Newlines of `text` stay. A word that
// is longer than a line is not cut.
void AppendWrapped(std::string_view text, size_t indent, std::string* out,
                   size_t page = kPageColumns);

// `text` for a window of `page` columns: lines that are too wide are broken.
// The text of an entry ("  name   text") continues below itself. `broken`:
// AppendWrapped() has broken `text` for kPageColumns, so the lines of each
// paragraph are joined first.
std::string FitLines(std::string_view text, size_t page, bool broken);

}  // namespace tfprof

#endif  // TFPROF_UTIL_TEXT_LAYOUT_H_
