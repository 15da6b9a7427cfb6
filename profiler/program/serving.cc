#include "profiler/program/serving.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/mcp/server.h"
#include "profiler/program/inputs.h"
#include "profiler/record/record_program.h"
#include "profiler/shell/deliver.h"
#include "profiler/shell/exit_status.h"
#include "profiler/shell/pipe/pipe.h"
#include "profiler/shell/shell.h"
#include "server/confined_serve.h"
#include "server/serve.h"

namespace tfprof::program {
namespace {

int ServeRecord(const commands::CommandLine& line, shell::TerminalUi& ui) {
  return recording::RecordProgram(
      line.command.options.record, line.command.arguments,
      [&](std::string_view text) { ui.Error(text); });
}

int ServeAgent(const commands::CommandLine& line, shell::TerminalUi& ui) {
  const std::string& root = line.command.arguments[0];
  struct stat info;
  if (stat(root.c_str(), &info) != 0) {
    ui.Error(fmt::format("tfprof: {}: {}\n", root, strerror(errno)));
    return shell::kFailed;
  }
  mcp::McpServer server(root, line.command.options.source_paths);
  mcp::ServeMcp(server, stdin, stdout);
  return shell::kOk;
}

// Messages about the inputs belong to the first reply.
int ServeRequests(const commands::CommandLine& line,
                  shell::TerminalUi& terminal) {
  shell::PipeUi ui;
  LoadedInputs inputs =
      OpenLine(line, commands::Workspace().load, ui.cancellation());
  commands::Workspace& workspace = inputs.workspace;
  workspace.sources_here = false;
  if (workspace.opened == nullptr) {
    // A profile with nothing in it.
    workspace.opened = std::make_shared<commands::OpenProfile>(
        loaders::Loaded(), workspace.work);
    inputs.notes =
        commands::LoadNotes(workspace.opened->loaded, /*reference=*/false);
  }
  for (const std::string& note : inputs.notes) ui.Note(note);
  ui.Note(inputs.missing);
  for (const std::string& note : inputs.base_notes) ui.Note(note);
  shell::Shell session(std::move(workspace), ui);
  shell::PipeServer server(session, ui, inputs.error);
  const int error = shell::ServePipe(server, ui, STDIN_FILENO, STDOUT_FILENO);
  if (error == 0) return shell::kOk;
  terminal.Error(fmt::format("tfprof: stdout could not be written: {}\n",
                             strerror(error)));
  return shell::kFailed;
}

int ServeBrowser(const commands::CommandLine& line, shell::TerminalUi& ui) {
  const server::ServeRequest request = {
      .inputs = line.flags.inputs,
      .base = line.flags.base,
      .options = line.command.options.serve,
      .source_paths = line.command.options.source_paths,
      .keep_environment = line.command.options.keep_environment,
      .question_seconds = line.flags.max_seconds};
  const server::ServeMessages messages = {
      .print =
          [&](std::string_view text) {
            ui.out().Write(text);
            ui.Flush();
          },
      .warn =
          [&](std::string_view text) {
            ui.Error(fmt::format("tfprof: {}\n", text));
          },
      .fail =
          [&](const absl::Status& status) {
            shell::ReportError(status,
                               "tfprof: " + std::string(status.message()),
                               line.command.options.agent, ui);
          }};
  const std::optional<bool>& untrusted = line.flags.untrusted;
  absl::StatusOr<bool> served = true;
  if (untrusted.value_or(true)) {
    served = server::ServeConfined(request, untrusted.has_value(), messages);
  } else if (absl::Status plain = server::Serve(request, messages.print);
             !plain.ok()) {
    served = plain;
  }
  if (!served.ok()) messages.fail(served.status());
  return Finish(served.value_or(false), ui);
}

}  // namespace

std::span<const ServingCommand> ServingCommands() {
  static constexpr ServingCommand kServing[] = {
      {"mcp", ServeAgent},
      {"pipe", ServeRequests},
      {"serve", ServeBrowser},
      {"record", ServeRecord},
  };
  return kServing;
}

const ServingCommand* FindServing(const commands::CommandInfo* info) {
  for (const ServingCommand& serving : ServingCommands()) {
    if (info != nullptr && serving.name == info->name) return &serving;
  }
  return nullptr;
}

int Finish(bool good, shell::TerminalUi& ui) {
  ui.Flush();
  const int error = ui.output_error();
  if (error != 0 && error != EPIPE) {
    ui.Error(fmt::format("tfprof: stdout could not be written: {}\n",
                         strerror(error)));
    good = false;
  }
  return good ? shell::kOk : shell::kFailed;
}

}  // namespace tfprof::program
