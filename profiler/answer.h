// How an answer of one or several tables leaves the program.
//
// To a person, and where nothing else was asked for: the facts of a table as
// lines, then its rows, aligned; tables apart by an empty line. -output json of
// several tables is a list of them; ndjson, csv, markdown and table write one
// after the other. CSV, which has no place for facts, writes those of a table
// without columns as its one row.

#ifndef TFPROF_PROFILER_ANSWER_H_
#define TFPROF_PROFILER_ANSWER_H_

#include <span>

#include "absl/status/status.h"
#include "exporters/data_table.h"
#include "profiler/commands.h"
#include "profiler/ui.h"

namespace tfprof {

// Not OK: a file cannot be written, or -output is no format for tables.
absl::Status WriteAnswer(std::span<const DataTable> tables,
                         const Command& command, Ui& ui);

// Whether the answer is read as text, so that long lists are better cut.
bool IsForReading(const Options& options);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_ANSWER_H_
