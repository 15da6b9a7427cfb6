// How an answer of one or several tables leaves the program.
//
// To a person, and where nothing else was asked for: the facts as lines, then
// the rows, aligned; several tables apart by an empty line, each under its
// title. As data as g3doc/output_schema.md says, with the command that gave it
// among the facts. With -agent, short Markdown (data_output.h).

#ifndef TFPROF_PROFILER_SHELL_DELIVER_H_
#define TFPROF_PROFILER_SHELL_DELIVER_H_

#include "absl/status/status.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/ui.h"
#include "tables/data_table.h"

namespace tfprof {

// Not OK: a file cannot be written, or -output is no format for tables.
absl::Status WriteAnswer(DataTable table, const Command& command, Ui& ui);
absl::Status WriteAnswer(DataDocument document, const Command& command, Ui& ui);

// Whether a person reads the answer, so that long lists are better cut. Those
// of an agent are cut when they are written.
bool IsForReading(const Options& options);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_SHELL_DELIVER_H_
