// The command `memory`: the memory in use over time.

#include "inspect/devices/memory.h"

#include <utility>

#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/show/picture_answer.h"

namespace tfprof::commands {
namespace {

tables::Answer RunMemory(const Command& command, Workspace& workspace) {
  const int64_t step = command.options.view.step;
  // A name may have blanks: "gpu:0 allocated".
  absl::StatusOr<inspect::MemoryChart> chart = inspect::MakeMemoryChart(
      workspace.views(), step,
      fmt::format("{}", fmt::join(command.arguments, " ")));
  if (!chart.ok()) return tables::ErrorAnswer(chart.status());
  return PictureAnswer<inspect::MemoryChart>(
      *std::move(chart), workspace,
      [](const inspect::MemoryChart& shown) {
        return tables::DocumentAnswer(inspect::MemoryDocument(shown));
      },
      inspect::MemoryText);
}

}  // namespace

extern constinit const CommandInfo kMemoryCommand = {
    .name = "memory",
    .arguments = "[ALLOCATOR]",
    .max_arguments = 3,
    .help =
        "The memory in use over time, for each allocator: its peak, and the "
        "operations that held the memory then. Without -step, the whole "
        "recording is shown.",
    .answers = "When is most memory in use, and who has it?",
    .examples = {"memory", "memory -output json"},
    .options = kTableOptions | options::kStepOption,
    .ignores_base = true,
    .run = RunMemory};

}  // namespace tfprof::commands
