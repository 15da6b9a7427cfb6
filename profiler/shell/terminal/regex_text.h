// Names as regular expressions that match them alone, and back.

#ifndef TFPROF_PROFILER_SHELL_TERMINAL_REGEX_TEXT_H_
#define TFPROF_PROFILER_SHELL_TERMINAL_REGEX_TEXT_H_

#include <optional>
#include <string>
#include <string_view>

namespace tfprof::shell {

// The expression for `name`. It can be an element of a list in a shell line as
// it is: characters that are special in an expression have a backslash, and
// blanks, commas, quotes and controls are \xNN. A byte that is not UTF-8
// becomes `.`, because no expression can name it.
//   "conv.1, x" -> "conv\.1\x2c\x20x"
std::string RegexOfName(std::string_view name);

// The name that an expression, or the beginning of one, spells; none if it is
// not a plain name. A `.` is taken as a dot: a user who types "train.py" means
// the file.
std::optional<std::string> NameOfRegex(std::string_view regex);

// The size of the UTF-8 character at the beginning of `text`; 0: there is none.
size_t CharacterSize(std::string_view text);

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_TERMINAL_REGEX_TEXT_H_
