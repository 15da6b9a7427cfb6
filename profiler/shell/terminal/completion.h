// Completion: what Tab offers for a line of the shell.
//
//   Complete("op -order_by mi", {})          "micros "
//   Complete("op -select bytes,pe", {})      "bytes,peak_bytes "
//   Complete("scope -start_name_regexes resnet/un", {&names})
//                                            "resnet/unit_1/"
//
// Commands, options and values come from the tables of commands.h and
// options.h, which say what completes each; names, steps and devices from the
// loaded profile; files from the disk. In a regular expression, names are
// escaped so that it matches them. After ".*", parts of names are completed.

#ifndef TFPROF_PROFILER_SHELL_TERMINAL_COMPLETION_H_
#define TFPROF_PROFILER_SHELL_TERMINAL_COMPLETION_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/shell/terminal/name_index.h"

namespace tfprof::shell {

// The most candidates that are listed.
inline constexpr size_t kMaxListed = 100;

struct Completion {
  // `common` replaces the line from this byte on. It extends that text, but may
  // be spelled differently.
  size_t begin = 0;
  std::string common = "";
  // `common` is a whole word: a blank follows it.
  bool whole = false;
  // The first candidates, for a person: of a path, only the last part. Control
  // characters are not escaped.
  std::vector<std::string> listed = {};
  size_t total = 0;
};

struct CompletionContext {
  NameIndex* names = nullptr;  // null: no profile
  // The prefix of all names that are plain words: "resnet/" after `cd resnet`.
  std::string scope = "";
};

Completion Complete(std::string_view line, const CompletionContext& context);

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_TERMINAL_COMPLETION_H_
