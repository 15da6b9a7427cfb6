// The command `collectives`: where the ranks of a job stopped calling the same.

#include "inspect/devices/collectives.h"

#include <utility>

#include "profiler/commands/commands.h"

namespace tfprof::commands {
namespace {

tables::Answer RunCollectives(const Command&, Workspace& workspace) {
  const profile::Profile& profile = workspace.profile();
  tables::Answer answer =
      tables::DocumentAnswer(inspect::CollectivesDocument(profile));
  if (profile.collective_records().dumps.empty()) {
    answer.notes.push_back(
        "This profile has no dump of a flight recorder. Set "
        "TORCH_NCCL_TRACE_BUFFER_SIZE and TORCH_NCCL_DUMP_ON_TIMEOUT, and open "
        "the dumps of all ranks.");
  }
  return answer;
}

}  // namespace

extern constinit const CommandInfo kCollectivesCommand = {
    .name = "collectives",
    .help =
        "What the ranks of a job called, from dumps of PyTorch's flight "
        "recorder: the first collective of each group that a rank did not "
        "call, or called differently, who waits, and who comes late.",
    .answers = "Which rank does not call what the others wait for?",
    .examples = {"collectives", "collectives -output json"},
    .options = kTableOptions,
    .ignores_base = true,
    .run = RunCollectives};

}  // namespace tfprof::commands
