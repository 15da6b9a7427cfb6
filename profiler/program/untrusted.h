// --untrusted: a command that reads its inputs in a process that can do nothing
// else (util/sandbox/confined_child.h), so that a file which takes over a
// reader gains nothing. This process reads no input; it makes the files that
// the command line names and watches the time.

#ifndef TFPROF_PROFILER_PROGRAM_UNTRUSTED_H_
#define TFPROF_PROFILER_PROGRAM_UNTRUSTED_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "profiler/commands/parse.h"
#include "profiler/shell/terminal/terminal_ui.h"
#include "util/sandbox/landlock.h"

namespace tfprof::program {

// Limits for whoever gives none.
inline constexpr unsigned kUntrustedSeconds = 600;
// Three quarters of the memory of this machine.
size_t UntrustedMemory();

// Whether the command of `line` can be confined; InvalidArgument says why not.
absl::Status CheckUntrusted(const commands::CommandLine& line);

// What the command of `line` may open.
std::vector<util::UsedFile> FilesOf(const commands::CommandLine& line);
// Whether the command of `line` may write to `path`: the user has named it.
bool MayMake(const commands::CommandLine& line, const std::string& path);

// Calls `run` in the confined process and returns its exit status, or `failed`
// after a message.
int RunUntrusted(const commands::CommandLine& line, int failed,
                 shell::TerminalUi& ui, const std::function<int()>& run);

}  // namespace tfprof::program

#endif  // TFPROF_PROFILER_PROGRAM_UNTRUSTED_H_
