// The command `skew`: the ranks of a distributed run in each step.

#include "inspect/devices/skew.h"

#include <cstdint>
#include <utility>

#include "inspect/devices/collectives.h"
#include "profiler/commands/commands.h"

namespace tfprof::commands {
namespace {

tables::Answer RunSkew(const Command& command, Workspace& workspace) {
  const int64_t step = command.options.view.step;
  tables::DataDocument document =
      inspect::SkewDocument(workspace.views(), step);
  const bool has_dumps =
      !workspace.profile().collective_records().dumps.empty();
  const bool any = document.parts.front().table.num_rows > 0 || has_dumps;
  if (has_dumps) {
    // The ranks of dumps have no steps to count.
    if (document.parts.front().table.num_rows == 0) document.facts.clear();
    document.parts.push_back({"Collectives of flight recordings",
                              inspect::LatenessTable(workspace.profile())});
  }
  tables::Answer answer = tables::DocumentAnswer(std::move(document));
  if (!any) {
    answer.notes.push_back(
        "No step has two ranks: skew compares the processes of a distributed "
        "run. Open the files of several ranks, or a session that has them.");
  }
  if (workspace.profile().pipeline_ops().size() > 0) {
    answer.notes.push_back(
        "The waiting before transfers of a pipeline is not recorded: what_if "
        "says which rank or stage holds up the others.");
  }
  return answer;
}

}  // namespace

extern constinit const CommandInfo kSkewCommand = {
    .name = "skew",
    .help =
        "When each rank of a distributed run was in each step, the slowest "
        "one, and how long the others waited for it in collectives.",
    .answers = "Which rank is the straggler, and what does it cost?",
    .examples = {"skew", "skew -step 0"},
    .options = kTableOptions | options::kStepOption,
    .ignores_base = true,
    .run = RunSkew};

}  // namespace tfprof::commands
