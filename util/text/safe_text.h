// Makes names from files safe to show to people.
//
// A character that could move the cursor, reorder the line or hide itself is
// replaced by its bytes, each as \xNN: control characters (C0, DEL, C1),
// bidirectional marks, and bytes that are not UTF-8. All other characters stay,
// including wide and combining ones.
//
//   SafeText("a\x1b[2J\n")   "a\x1b[2J\x0a"

#ifndef TFPROF_UTIL_TEXT_SAFE_TEXT_H_
#define TFPROF_UTIL_TEXT_SAFE_TEXT_H_

#include <string>
#include <string_view>

namespace tfprof::util {

void AppendSafeText(std::string_view text, std::string* out);
std::string SafeText(std::string_view text);

// The same for text of several lines: line feeds and tabs stay.
std::string SafeLines(std::string_view text);

}  // namespace tfprof::util

#endif  // TFPROF_UTIL_TEXT_SAFE_TEXT_H_
