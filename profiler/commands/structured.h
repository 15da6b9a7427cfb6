// Commands from structured values instead of words: requests of `pipe`, calls
// of tools (mcp) and questions over HTTP. Nothing is quoted: a value may have
// commas, blanks and quotes. Only in a question over HTTP the value of an
// option is a word, as on the command line.
//
//   absl::StatusOr<Command> command =
//       MakeCommand("op", {}, {{"select", {"micros", "bytes"}}}, defaults);
//
// Names of options are those of the option table, without dashes. Errors are
// InvalidArgument with a sentence for the caller.

#ifndef TFPROF_PROFILER_COMMANDS_STRUCTURED_H_
#define TFPROF_PROFILER_COMMANDS_STRUCTURED_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "profiler/commands/commands.h"

namespace tfprof::commands {

struct GivenOption {
  std::string name;
  std::vector<std::string> values;  // one, or those of a list
  // There is one value, which is a word: commas separate the elements of a
  // list.
  bool is_word = false;
};

// The elements of an array of strings, numbers and booleans in JSON; a single
// one is a list of itself. `name` is what messages call it.
absl::StatusOr<std::vector<std::string>> ReadTexts(std::string_view name,
                                                   std::string_view json);

// The command `name`, with the options of `defaults` where none is given.
absl::StatusOr<Command> MakeCommand(std::string_view name,
                                    std::vector<std::string> arguments,
                                    std::span<const GivenOption> options,
                                    const options::Options& defaults);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_STRUCTURED_H_
