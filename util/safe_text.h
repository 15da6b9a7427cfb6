// Names from files, made harmless for where a person reads them.
//
// What could move the cursor, reorder the line or hide itself is spelled as its
// bytes, \xNN: controls (C0, DEL, C1), the marks of bidirectional text, and
// bytes that are no UTF-8. All else, wide and combining characters too, stands
// as it is.
//
//   SafeText("a\x1b[2J\n")   "a\x1b[2J\x0a"

#ifndef TFPROF_UTIL_SAFE_TEXT_H_
#define TFPROF_UTIL_SAFE_TEXT_H_

#include <string>
#include <string_view>

namespace tfprof {

void AppendSafeText(std::string_view text, std::string* out);
std::string SafeText(std::string_view text);

// The same for text of several lines: newlines and tabs stay.
std::string SafeLines(std::string_view text);

}  // namespace tfprof

#endif  // TFPROF_UTIL_SAFE_TEXT_H_
