// Text for a person: widths in columns, and lines that end before the margin.
//
// A character of UTF-8 takes the columns that character_width.h says; a byte
// that is none of it takes one.

#ifndef TFPROF_UTIL_TEXT_LAYOUT_H_
#define TFPROF_UTIL_TEXT_LAYOUT_H_

#include <cstddef>
#include <string>
#include <string_view>

namespace tfprof {

// What a terminal has at least.
inline constexpr size_t kPageColumns = 80;

// The columns of `text`, which has no newline.
size_t Columns(std::string_view text);

// How many bytes of `text` fit into `columns`, whole characters.
size_t PrefixInColumns(std::string_view text, size_t columns);

// `text`, or of a text that is too wide a third of `columns` from its front and
// the rest from its end, which is where names differ.
std::string Shortened(std::string_view text, size_t columns,
                      std::string_view ellipsis);

// Appends `text` and as many blanks as fill up `columns`.
void AppendPadded(std::string_view text, size_t columns, std::string* out);

// Appends `text` in lines of `page` columns at most, broken at blanks, and a
// newline. The first line goes on at column `indent` where `out` stands, the
// others begin with that many blanks; lines of `text` stay apart. A word that
// is longer than a line is not cut.
void AppendWrapped(std::string_view text, size_t indent, std::string* out,
                   size_t page = kPageColumns);

// `text` for a window of `page` columns: lines that are too wide are broken, in
// entries ("  left   text") below their text. `broken`: AppendWrapped() did so
// for kPageColumns, and what belongs together is broken anew.
std::string FitLines(std::string_view text, size_t page, bool broken);

}  // namespace tfprof

#endif  // TFPROF_UTIL_TEXT_LAYOUT_H_
