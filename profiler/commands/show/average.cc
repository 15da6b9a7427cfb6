// The command `average`: each operation over all steps of a run.

#include "inspect/steps/average.h"

#include <cstddef>
#include <utility>

#include "profiler/commands/commands.h"

namespace tfprof::commands {
namespace {

// The most operations that a person gets.
constexpr size_t kReadOps = 30;

tables::Answer RunAverage(const Command& command, Workspace& workspace) {
  const bool reads = IsForReading(command.options);
  absl::StatusOr<tables::DataTable> table = inspect::AverageTable(
      workspace.views(), command.first_argument(), reads ? kReadOps : 0);
  if (!table.ok()) return tables::ErrorAnswer(table.status());
  if (reads) table->rest = WholeAsData(command);
  return tables::TableAnswer(*std::move(table));
}

}  // namespace

extern constinit const CommandInfo kAverageCommand = {
    .name = "average",
    .arguments = "[RUN]",
    .max_arguments = 1,
    .help =
        "A line for each operation over all steps of a run: runs, mean, "
        "standard deviation, least and most. RUN is the beginning of the names "
        "of its steps, as 'run 3'.",
    .answers = "What does each operation cost, and how much does that vary?",
    .examples = {"average", "average -output csv"},
    .options = kTableOptions,
    .ignores_base = true,
    .run = RunAverage};

}  // namespace tfprof::commands
