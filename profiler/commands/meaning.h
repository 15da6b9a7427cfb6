// Words that people know from other programs: other names of
// commands ("q", "kernel", "cuda_gpu_kern_sum"), and arguments that are options
// in other words ("op 5", "timeline t.json", "op -o ops.csv").
//
// Lines, arguments of the program and requests (pipe, mcp, HTTP, Python) come
// through here. The reference's command line does not: it knows its own words
// only.

#ifndef TFPROF_PROFILER_COMMANDS_MEANING_H_
#define TFPROF_PROFILER_COMMANDS_MEANING_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "profiler/commands/commands.h"

namespace tfprof::commands {

// The command that `word` means, and in `argument` what it says besides ("10"
// of "top10"; else ""). nullptr: none.
const CommandInfo* CommandMeantBy(std::string_view word,
                                  std::string* argument = nullptr);

// "did you mean op?" for a word that means a command, or what does the same
// here as a word that other programs have. "": the word is not known.
std::string KnownWordHint(std::string_view word);

// Returns the text after "there is no command WORD": the nearest commands, or
// what does the same here. Never empty.
std::string CommandHint(std::string_view word);

// Whether the word, which has no dash, is the name of an option of `command`,
// whose plain words choose what it shows: "limit" in "op limit 5".
bool IsOptionWord(const CommandInfo& command, std::string_view word);

// Makes options of what arguments say in other words, and of -o the output that
// the name of the file asks for. InvalidArgument: the name of the file fits no
// output of the command.
absl::Status FinishCommand(Command& command);

}  // namespace tfprof::commands

#endif  // TFPROF_PROFILER_COMMANDS_MEANING_H_
