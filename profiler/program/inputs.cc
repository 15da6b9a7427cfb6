#include "profiler/program/inputs.h"

#include <malloc.h>

#include <memory>
#include <utility>

namespace tfprof::program {

LoadedInputs OpenLine(const commands::CommandLine& line, commands::Loader load,
                      util::Cancellation& cancellation) {
  LoadedInputs inputs;
  commands::Workspace& workspace = inputs.workspace;
  workspace.defaults = line.command.options;
  workspace.inputs = line.flags.inputs;
  workspace.load = std::move(load);
  workspace.sources_here = !line.flags.untrusted.value_or(false);
  workspace.work = {.threads = workspace.inputs.work.threads,
                    .cancellation = &cancellation};
  auto opened = commands::OpenInputs(workspace.inputs, workspace);
  if (!opened.ok()) {
    inputs.error = opened.status();
    return inputs;
  }
  workspace.opened = *std::move(opened);
  const loaders::Loaded& loaded = workspace.opened->loaded;
  inputs.notes =
      commands::LoadNotes(loaded, line.command.options.InReferenceForm());
  inputs.state =
      commands::CheckLoaded(workspace.inputs, loaded, &inputs.missing);
  if (!line.flags.base.empty()) {
    absl::StatusOr<commands::Base> base =
        commands::LoadBase(line.flags.base, workspace, inputs.base_notes);
    if (base.ok()) {
      workspace.base = std::make_shared<const commands::Base>(*std::move(base));
    } else {
      inputs.error =
          absl::Status(base.status().code(),
                       "--base: " + std::string(base.status().message()));
    }
  }
  // Loading needed more memory than the profile does. A single command takes it
  // again at once, and ends.
  const commands::CommandInfo* command = line.command.info;
  if (command == nullptr || command->run == nullptr) malloc_trim(0);
  return inputs;
}

}  // namespace tfprof::program
