// The commands about many runs of one step: `average` over the steps of a run,
// `skew` over the ranks of a step. Their tables are made in inspect/.

#include <cstddef>
#include <string>
#include <utility>

#include "inspect/average.h"
#include "inspect/skew.h"
#include "profiler/commands/rows.h"

namespace tfprof {
namespace {

// The most operations that a person gets.
constexpr size_t kReadOps = 30;
// A table or a document on a screen, or as data.
constexpr unsigned kTableOptions = kOutputOptions | kColorOption;

Answer RunAverage(const Command& command, Workspace& workspace) {
  const bool reads = IsForReading(command.options);
  absl::StatusOr<DataTable> table = AverageTable(
      workspace.views(), command.first_argument(), reads ? kReadOps : 0);
  if (!table.ok()) return ErrorAnswer(table.status());
  if (reads) table->rest = SpellCommand(command) + " -output json";
  return TableAnswer(*std::move(table));
}

Answer RunSkew(const Command& command, Workspace& workspace) {
  const int64_t step = command.options.view.step;
  const absl::Status found = CheckStep(workspace.profile(), step);
  if (!found.ok()) return ErrorAnswer(found);
  DataDocument document = SkewDocument(workspace.views(), step);
  const bool any = document.parts.front().table.num_rows > 0;
  Answer answer = DocumentAnswer(std::move(document));
  if (!any) {
    answer.notes.push_back(
        "No step has two ranks: skew compares the processes of a distributed "
        "run. Open the files of several ranks, or a session that has them.");
  }
  return answer;
}

}  // namespace

constinit const CommandInfo kAverageCommand = {
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

constinit const CommandInfo kSkewCommand = {
    .name = "skew",
    .help =
        "When each rank of a distributed run was in each step, the slowest "
        "one, and how long the others waited for it in collectives.",
    .answers = "Which rank is the straggler, and what does it cost?",
    .examples = {"skew", "skew -step 0"},
    .options = kTableOptions | kStepOption,
    .ignores_base = true,
    .run = RunSkew};

}  // namespace tfprof
