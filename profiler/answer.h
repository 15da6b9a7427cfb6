// Where the answer of a command goes: to stdout, a pager or a file, in the
// format that -output asks for, with the line that gives it among its facts.

#ifndef TFPROF_PROFILER_ANSWER_H_
#define TFPROF_PROFILER_ANSWER_H_

#include "absl/status/status.h"
#include "profiler/commands.h"
#include "profiler/ui.h"
#include "tables/answer.h"

namespace tfprof {

// Not OK: a file cannot be written, or -output is no format of this answer.
absl::Status WriteAnswer(Answer answer, const Command& command, Ui& ui);
// The same for a line that says more than `command` does.
absl::Status WriteAnswer(Answer answer, const Command& command,
                         std::string line, Ui& ui);

// Whether a person reads the answer, so that long lists are better cut. Those
// of an agent are cut when they are written.
bool IsForReading(const Options& options);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_ANSWER_H_
