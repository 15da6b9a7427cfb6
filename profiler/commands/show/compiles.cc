// The command `compiles`: what torch.compile did.

#include "inspect/steps/compiles.h"

#include <algorithm>
#include <utility>

#include "profiler/commands/commands.h"

namespace tfprof::commands {
namespace {

tables::Answer RunCompiles(const Command&, Workspace& workspace) {
  tables::DataDocument document =
      inspect::CompilesDocument(workspace.profile());
  const bool any =
      std::any_of(document.parts.begin(), document.parts.end(),
                  [](const auto& part) { return part.table.num_rows > 0; });
  tables::Answer answer = tables::DocumentAnswer(std::move(document));
  if (!any) {
    answer.notes.push_back(
        "No compilation of torch.compile and no run of compiled code was "
        "found. Run the program with TORCH_TRACE=DIR and open the files in "
        "DIR.");
  }
  return answer;
}

}  // namespace

extern constinit const CommandInfo kCompilesCommand = {
    .name = "compiles",
    .help =
        "What torch.compile compiled, from its logs: compilations, "
        "recompilations with their reason, graph breaks, failures, caches and "
        "phases. A trace shows the runs of compiled code instead.",
    .answers = "What was compiled, how often again, and why?",
    .examples = {"compiles", "compiles -output json"},
    .options = kTableOptions,
    .ignores_base = true,
    .run = RunCompiles};

}  // namespace tfprof::commands
