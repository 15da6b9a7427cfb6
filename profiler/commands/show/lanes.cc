// The command `lanes`: what each device did over the time of a step.

#include "inspect/devices/lanes.h"

#include <utility>

#include "absl/status/statusor.h"
#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/show/picture_answer.h"

namespace tfprof::commands {
namespace {

tables::Answer RunLanes(const Command& command, Workspace& workspace) {
  const int64_t step = command.options.view.step;
  absl::StatusOr<inspect::LaneChart> chart = inspect::MakeLaneChart(
      workspace.views(), step,
      fmt::format("{}", fmt::join(command.arguments, " ")));
  if (!chart.ok()) return tables::ErrorAnswer(chart.status());
  return PictureAnswer<inspect::LaneChart>(
      *std::move(chart), workspace,
      [](const inspect::LaneChart& shown) {
        return tables::DocumentAnswer(inspect::LanesDocument(shown));
      },
      inspect::LanesText);
}

}  // namespace

extern constinit const CommandInfo kLanesCommand = {
    .name = "lanes",
    .arguments = "[DEVICE]",
    .max_arguments = 3,
    .help =
        "What each device did over the time of a step, as bars of its busy "
        "share, with the longest gaps. Without -step, a typical step; -step "
        "all shows everything.",
    .answers =
        "When do devices wait, what runs at the same time, and what is around "
        "the gaps?",
    .examples = {"lanes", "lanes -step all"},
    .options =
        kTableOptions | options::kStepOption | options::kCommunicationOption,
    .ignores_base = true,
    .run = RunLanes};

}  // namespace tfprof::commands
