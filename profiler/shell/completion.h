// Completion: what Tab offers for a line of the shell.
//
//   Complete("op -order_by mi", {})          "micros "
//   Complete("op -select bytes,pe", {})      "bytes,peak_bytes "
//   Complete("scope -start_name_regexes resnet/un", {&names})
//                                            "resnet/unit_1/"
//
// Commands, options and values come from the tables of commands.h and
// options.h, which say what completes each; names, steps and devices from the
// loaded profile; files from the disk. Names in a regular expression are
// spelled so that it matches them. After ".*", parts of names are completed.

#ifndef TFPROF_PROFILER_SHELL_COMPLETION_H_
#define TFPROF_PROFILER_SHELL_COMPLETION_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/shell/name_index.h"

namespace tfprof {

// At most so many candidates are listed.
inline constexpr size_t kMaxListed = 100;

struct Completion {
  // `common` stands for the line from this byte on. It is the line's own text
  // or longer, perhaps spelled otherwise.
  size_t begin = 0;
  std::string common = "";
  // It is a whole word: a blank comes behind it.
  bool whole = false;
  // The first candidates, as a person reads them: of a path the last part. Not
  // escaped.
  std::vector<std::string> listed = {};
  size_t total = 0;
};

struct CompletionContext {
  NameIndex* names = nullptr;  // null: no profile
  // What stands before the names that plain words are: "resnet/" after a
  // `cd resnet`.
  std::string scope = "";
};

Completion Complete(std::string_view line, const CompletionContext& context);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_SHELL_COMPLETION_H_
