// Text for a person: widths in columns, and lines that end before the margin.
//
// A column is a UTF-8 character; bytes that continue one take none. That is
// wrong for double width and combining characters, which device and operation
// names hardly have.

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

// Appends `text` and as many blanks as fill up `columns`.
void AppendPadded(std::string_view text, size_t columns, std::string* out);

// Appends `text` in lines of kPageColumns at most, broken at blanks, and a
// newline. The first line goes on at column `indent` where `out` stands, the
// others begin with that many blanks; lines of `text` stay apart. A word that
// is longer than a line is not cut.
void AppendWrapped(std::string_view text, size_t indent, std::string* out);

}  // namespace tfprof

#endif  // TFPROF_UTIL_TEXT_LAYOUT_H_
