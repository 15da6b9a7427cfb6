// A line of the shell as words, and where its output is redirected.
//
//   op | COMMAND       for /bin/sh, which reads what the command wrote
//   op > FILE          op >> FILE appends
//
// A '|' or '>' outside of quotes redirects, with or without blanks around it:
// `op|head`, `op -order_by micros >f`. Regular expressions and names of a
// profile are full of these signs, so two kinds of words keep them:
//
//   - the value of an option of regular expressions or rules: only a sign that
//     is a word of its own redirects (`-show_name_regexes a|b`, `… >x`);
//   - a NODE or SCOPE: only a sign that begins the word (`show a->b`).

#ifndef TFPROF_PROFILER_COMMANDS_LINE_H_
#define TFPROF_PROFILER_COMMANDS_LINE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace tfprof::commands {

struct Redirection {
  enum class Kind { kNone, kFile, kAppend, kPipe };
  Kind kind = Kind::kNone;
  std::string target;  // a path, or a line for /bin/sh
};

struct Line {
  std::vector<std::string> words;  // with their quotes, as in SplitWords()
  Redirection redirection;
};

// InvalidArgument: the command before the sign or the target after it is
// missing, or the name of a file is two words.
absl::StatusOr<Line> SplitLine(std::string_view line);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_LINE_H_
