// The program behind main(): arguments in, exit status out
// (shell/exit_status.h).

#ifndef TFPROF_PROFILER_PROGRAM_PROGRAM_H_
#define TFPROF_PROFILER_PROGRAM_PROGRAM_H_

#include <span>
#include <string>

namespace tfprof::program {

// The whole program, on the standard streams.
int RunProgram(std::span<const std::string> arguments);

}  // namespace tfprof::program

#endif  // TFPROF_PROFILER_PROGRAM_PROGRAM_H_
