// Names as regular expressions that match them alone, and back.

#ifndef TFPROF_PROFILER_SHELL_REGEX_TEXT_H_
#define TFPROF_PROFILER_SHELL_REGEX_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

namespace tfprof {

// The expression for `name`, which can stand in a list of a shell line as it
// is: what is special in an expression has a backslash, and blanks, commas,
// quotes and controls are \xNN. A byte that is no UTF-8 is `.`, which is what
// an expression can say of it.
//   "conv.1, x" -> "conv\.1\x2c\x20x"
std::string RegexOfName(std::string_view name);

// The name that an expression, or the begin of one, spells; none when it is not
// a plain name. A `.` is taken as a dot: who types "train.py" means the file.
std::optional<std::string> NameOfRegex(std::string_view regex);

// The bytes of the UTF-8 character that `text` begins with; 0: it is none.
size_t CharacterSize(std::string_view text);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_SHELL_REGEX_TEXT_H_
