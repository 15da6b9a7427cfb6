#include "profiler/shell.h"

#include <cstdio>
#include <memory>
#include <utility>

#include "fmt/format.h"
#include "profiler/command_line.h"
#include "profiler/terminal_ui.h"

namespace tfprof {
namespace {

constexpr std::string_view kVersion = "tfprof 0.1\n";

void TellLoading(const Loaded& loaded, Ui& ui) {
  for (const double coverage : loaded.coverage) {
    ui.Error(fmt::format("run graph coverage: {:.2f}\n", coverage));
  }
  for (const ImportLog::Entry& entry : loaded.log.entries()) {
    for (const std::string& text : entry.texts) ui.Error(text + "\n");
    const int64_t more =
        entry.count - static_cast<int64_t>(entry.texts.size());
    if (more > 0 && entry.severity == ImportLog::kDamage) {
      ui.Error(fmt::format("… and {} more: {}\n", more, entry.kind));
    }
  }
}

int Usage(const absl::Status& status, Ui& ui) {
  ui.Error(fmt::format("tfprof: {}\n", std::string(status.message())));
  return kUsage;
}

}  // namespace

bool RunShell(Session& session, Ui& ui) {
  bool good = true;
  std::string line;
  while (!session.done() && ui.ReadLine("tfprof> ", line)) {
    good &= session.RunLine(line).ok();
  }
  return good;
}

int RunProgram(std::span<const std::string> arguments) {
  const absl::StatusOr<CommandLine> parsed = ParseCommandLine(arguments);
  FILE* script = nullptr;
  if (parsed.ok() && !parsed->script.empty()) {
    script = fopen(parsed->script.c_str(), "r");
  }
  const std::unique_ptr<FILE, void (*)(FILE*)> close_script(
      script, [](FILE* f) {
        if (f != nullptr) fclose(f);
      });
  TerminalUi ui(script != nullptr ? script : stdin, CompleteLine);
  if (!parsed.ok()) return Usage(parsed.status(), ui);
  const CommandLine& line = *parsed;
  if (!line.script.empty() && script == nullptr) {
    return Usage(absl::NotFoundError("cannot read " + line.script), ui);
  }
  if (line.version) ui.out().Write(kVersion);
  if (line.help) ui.out().Write(UsageText());
  if (line.version || line.help) return kOk;

  const CommandInfo* command = line.command.info;
  if (line.inputs.empty() && command == nullptr && script == nullptr) {
    ui.out().Write(HelpText());
    return kOk;
  }
  if (!line.inputs.profile_path.empty() &&
      !(line.inputs.graph_path.empty() && line.inputs.run_meta_paths.empty())) {
    ui.Error(
        "--profile_path is set, do not set --graph_path or --run_meta_path\n");
    return kFailed;
  }
  const bool wants_data = command == nullptr || (command->id != CommandId::kHelp &&
                                                 command->id != CommandId::kExit);
  if (wants_data && line.inputs.empty() && command != nullptr) {
    return Usage(absl::InvalidArgumentError(fmt::format(
                     "{} of what? Name a profile: a file, a directory, or "
                     "--profile_path=FILE",
                     command->name)),
                 ui);
  }
  absl::StatusOr<Loaded> loaded = Load(line.inputs);
  if (!loaded.ok()) {
    ui.Error(fmt::format("{}\n", std::string(loaded.status().message())));
    return kFailed;
  }
  TellLoading(*loaded, ui);
  bool good = !loaded->log.damaged();
  Session session(*std::move(loaded), line.command.options, ui);
  if (command != nullptr) {
    good &= session.Run(line.command).ok();
  } else {
    // A person has seen the errors that they made.
    good &= RunShell(session, ui) || ui.interactive();
  }
  ui.Flush();
  if (ui.output_failed()) {
    ui.Error("tfprof: stdout could not be written\n");
    good = false;
  }
  return good ? kOk : kFailed;
}

}  // namespace tfprof
