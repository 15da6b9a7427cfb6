#include "profiler/shell/run_shell.h"

#include <optional>
#include <string>
#include <string_view>

#include "profiler/commands/commands.h"
#include "profiler/shell/shell.h"
#include "profiler/shell/ui.h"
#include "util/run/interrupt.h"

namespace tfprof::shell {

absl::Status ShowOverview(Shell& session) {
  commands::Command command = {.info = commands::FindCommand("overview"),
                               .options = session.defaults(),
                               .arguments = {}};
  // Files are for the answers of lines.
  options::OutputSpec& output = command.options.output;
  if (!options::FindOutput(output.type).is_format) output = {};
  return session.Run(command);
}

bool RunShell(Shell& session, Ui& ui, Greeting greeting) {
  bool good = true;
  bool has_lines = false;
  std::string line;
  // Ctrl-C stops a command, and never a person's shell.
  std::optional<util::InterruptCancels> interrupts;
  if (ui.interactive()) {
    interrupts.emplace(ui.cancellation());
    ui.SetCompleter(
        [&session](std::string_view typed) { return session.Complete(typed); });
  }
  if (greeting == Greeting::kOverview) {
    ui.cancellation().Reset();
    // The shell begins even if the overview was cancelled.
    ShowOverview(session).IgnoreError();
  }
  while (!session.done() && ui.ReadLine(session.Prompt(), line)) {
    has_lines = true;
    session.CountLine();
    good &= session.RunLine(line).ok();
  }
  if (!has_lines && greeting == Greeting::kIfNoLines) {
    good &= ShowOverview(session).ok();
  }
  ui.SetCompleter({});
  return good;
}

}  // namespace tfprof::shell
