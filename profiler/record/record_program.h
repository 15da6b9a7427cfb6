// `record`: runs a program with the recorder in it, waits for it, and reports
// what was recorded.

#ifndef TFPROF_PROFILER_RECORD_RECORD_PROGRAM_H_
#define TFPROF_PROFILER_RECORD_RECORD_PROGRAM_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/options/options.h"

namespace tfprof::recording {

// Exit statuses of `record` itself, as env(1) and timeout(1) have them. All
// others come from the program; 128 + N if the signal N ended it.
inline constexpr int kNothingRecorded = 1;  // of a program that ended with 0
inline constexpr int kCannotRecord = 125;
inline constexpr int kCannotExecute = 126;
inline constexpr int kNoSuchProgram = 127;

// `program` is its name, which is searched for in PATH, and its arguments.
// `say` gets messages for a person, as whole lines. Signals that ask this
// process to end are passed on. Returns the exit status.
int RecordProgram(const options::RecordOptions& options,
                  const std::vector<std::string>& program,
                  const std::function<void(std::string_view)>& say);

}  // namespace tfprof::recording

#endif  // TFPROF_PROFILER_RECORD_RECORD_PROGRAM_H_
