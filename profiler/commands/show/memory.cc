// The command `memory`: the memory in use over time.

#include "inspect/devices/memory.h"

#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "inspect/devices/memory_map.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/show/picture_answer.h"

namespace tfprof::commands {
namespace {

tables::Answer RunMemory(const Command& command, Workspace& workspace) {
  const int64_t step = command.options.view.step;
  // A name may have blanks: "gpu:0 allocated".
  const std::string name = fmt::format("{}", fmt::join(command.arguments, " "));
  const options::MemoryOptions& memory = command.options.memory;
  if (memory.part != options::MemoryOptions::Part::kLevels) {
    absl::StatusOr<tables::DataDocument> document =
        memory.part == options::MemoryOptions::Part::kMap
            ? inspect::MemoryMapDocument(workspace.views(), step, name,
                                         memory.map)
            : inspect::MemoryBlocksDocument(workspace.views(), name);
    if (!document.ok()) return tables::ErrorAnswer(document.status());
    return tables::DocumentAnswer(*std::move(document));
  }
  absl::StatusOr<inspect::MemoryChart> chart =
      inspect::MakeMemoryChart(workspace.views(), step, name);
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
        "recording is shown. -part map has the owners over time, and -part "
        "blocks the segments of a memory snapshot.",
    .answers = "When is most memory in use, and who has it?",
    .examples = {"memory", "memory -part map -window 100:2000"},
    .options = kTableOptions | options::kStepOption | options::kMemoryOptions,
    .ignores_base = true,
    .run = RunMemory};

}  // namespace tfprof::commands
