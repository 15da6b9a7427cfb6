// How the answer of a command leaves as data: -output json, ndjson, csv,
// markdown and table, the tables of a terminal, and the short answers of
// -agent.

#ifndef TFPROF_PROFILER_SHELL_DATA_OUTPUT_H_
#define TFPROF_PROFILER_SHELL_DATA_OUTPUT_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/ui.h"
#include "tables/data_table.h"
#include "tables/data_writers.h"

namespace tfprof {

// nullopt: the type is no format of data.
std::optional<DataFormat> DataFormatOf(OutputSpec::Type type);

// stdout was not told to get another format, and is for a reader of Markdown,
// or for a person who looks at it: the default is then WriteDefault(), not the
// text of the reference.
bool HasOtherDefault(const Options& options, const Ui& ui);

// Writes `table` as -output says, to its file or to stdout. Not OK: the file
// cannot be written.
absl::Status WriteAs(DataFormat format, const DataTable& table,
                     const Options& options, Ui& ui);

// With -agent at most kAgentRows and kAgentBytes of Markdown, and how to get
// the rest; else a table as wide as the window. `introduction` are harmless
// lines that a person sees before it.
void WriteDefault(const DataTable& table, const Command& command,
                  std::string_view introduction, Ui& ui);

inline constexpr size_t kAgentRows = 40;
inline constexpr size_t kAgentBytes = 12000;

// The same for who is known to be an agent. The limit of rows is for each
// table of a document, that of bytes for all.
void WriteForAgent(const DataTable& table, const Command& command, Ui& ui);
void WriteForAgent(const DataDocument& document, const Command& command,
                   Ui& ui);

// Those limits, for an answer of `kind` that `line` gives in full.
MarkdownLimits AgentLimits(std::string_view kind, const std::string& line);

// Puts the line that gives this answer first among its facts.
void AddCommand(const Command& command, DataFacts* facts);

// Not OK: -output is nothing that a table can be.
absl::Status CheckOutput(const Command& command, bool has_junit = false);

// Whether stdout gets colours.
bool Colored(const Options& options, const Screen& screen);

// WriteAs() or WriteDefault(), for commands whose text is a table anyhow. To
// what is no terminal the default is a table in full.
absl::Status WriteTable(const DataTable& table, const Command& command, Ui& ui);

// A status as the line that a program gets on stderr:
// {"error":{"code":"NOT_FOUND","message":…}}
std::string ErrorJson(const absl::Status& status);

}  // namespace tfprof

#endif  // TFPROF_PROFILER_SHELL_DATA_OUTPUT_H_
