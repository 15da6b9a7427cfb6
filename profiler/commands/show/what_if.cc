// The command `what_if`: what a pipeline-parallel job would take without its
// stragglers.

#include <utility>

#include "absl/status/statusor.h"
#include "inspect/steps/pipeline_what_if.h"
#include "profiler/commands/commands.h"

namespace tfprof::commands {
namespace {

tables::Answer RunWhatIf(const Command& /*command*/, Workspace& workspace) {
  absl::StatusOr<tables::DataDocument> document =
      inspect::PipelineWhatIfDocument(workspace.views());
  if (!document.ok()) return tables::ErrorAnswer(document.status());
  return tables::DocumentAnswer(*std::move(document));
}

}  // namespace

extern constinit const CommandInfo kWhatIfCommand = {
    .name = "what_if",
    .help =
        "How many times longer a pipeline-parallel job takes because workers, "
        "stages, links or micro-batches are slower than others, because of "
        "each rank, stage and type of operation alone, and because work "
        "begins late.",
    .answers =
        "How much faster would the job be if all workers did the same, and who "
        "holds it back?",
    .examples = {"what_if", "what_if -output json"},
    .options = kTableOptions,
    .ignores_base = true,
    .run = RunWhatIf};

}  // namespace tfprof::commands
