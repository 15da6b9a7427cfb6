#include "profiler/shell.h"

#include <errno.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
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

void TellNothingThere(const Loaded& loaded, Ui& ui) {
  constexpr size_t kMaxPaths = 4;
  std::string paths;
  for (size_t i = 0; i < std::min(loaded.sources.size(), kMaxPaths); ++i) {
    paths += (i > 0 ? ", " : "") + loaded.sources[i].path;
  }
  if (loaded.sources.size() > kMaxPaths) paths += ", …";
  ui.Error(fmt::format(
      "tfprof: no node in {}: reports are empty; name a graph, run metadata or "
      "a profile as well\n",
      paths));
}

int Usage(const absl::Status& status, Ui& ui) {
  ui.Error(fmt::format("tfprof: {}\n", std::string(status.message())));
  return kUsage;
}

// The status of a program that went well or not, once all is written.
int Finish(bool good, TerminalUi& ui) {
  ui.Flush();
  const int error = ui.output_error();
  if (error != 0 && error != EPIPE) {
    ui.Error(fmt::format("tfprof: stdout could not be written: {}\n",
                         strerror(error)));
    good = false;
  }
  return good ? kOk : kFailed;
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
  int script_error = 0;
  if (parsed.ok() && !parsed->script.empty()) {
    script = fopen(parsed->script.c_str(), "r");
    script_error = script == nullptr ? errno : 0;
    struct stat info;
    if (script != nullptr && fstat(fileno(script), &info) == 0 &&
        S_ISDIR(info.st_mode)) {
      script_error = EISDIR;
    }
  }
  const std::unique_ptr<FILE, void (*)(FILE*)> close_script(
      script, [](FILE* f) {
        if (f != nullptr) fclose(f);
      });
  TerminalUi ui(script != nullptr ? script : stdin, CompleteLine);
  if (!parsed.ok()) return Usage(parsed.status(), ui);
  const CommandLine& line = *parsed;
  if (script_error != 0) {
    ui.Error(fmt::format("tfprof: cannot read the script {}: {}\n",
                         line.script, strerror(script_error)));
    return kFailed;
  }
  if (line.version) ui.out().Write(kVersion);
  if (line.help) ui.out().Write(UsageText());
  if (line.version || line.help) return Finish(true, ui);

  const CommandInfo* command = line.command.info;
  if (line.inputs.empty() && command == nullptr && script == nullptr) {
    ui.out().Write(HelpText());
    return Finish(true, ui);
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
  if (wants_data && !line.inputs.empty() &&
      loaded->profile.nodes().size() == 0) {
    // The report is shown all the same, as the reference does.
    TellNothingThere(*loaded, ui);
    good = false;
  }
  Session session(*std::move(loaded), line.command.options, ui);
  if (command != nullptr) {
    good &= session.Run(line.command).ok();
  } else {
    // A person has seen the errors that they made.
    good &= RunShell(session, ui) || ui.interactive();
  }
  return Finish(good, ui);
}

}  // namespace tfprof
