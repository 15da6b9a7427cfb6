#include "profiler/shell/program.h"

#include <errno.h>
#include <malloc.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "profiler/commands/base.h"
#include "profiler/commands/check.h"
#include "profiler/commands/command_line.h"
#include "profiler/shell/data_output.h"
#include "profiler/commands/load_messages.h"
#include "profiler/shell/long_work.h"
#include "profiler/shell/terminal_ui.h"
#include "util/self_profile.h"
#include "util/stop.h"
#include "util/threads.h"

namespace tfprof {
namespace {

constexpr std::string_view kVersion = "tfprof 0.1\n";

// Tells an error in the words that a person gets, or as JSON.
void TellError(const absl::Status& status, std::string_view words, bool agent,
               Ui& ui) {
  ui.Error(agent ? ErrorJson(status) : fmt::format("{}\n", words));
}

void TellNothingThere(const Loaded& loaded, bool agent, Ui& ui) {
  constexpr size_t kMaxPaths = 4;
  std::string paths;
  for (size_t i = 0; i < std::min(loaded.sources.size(), kMaxPaths); ++i) {
    paths += (i > 0 ? ", " : "") + loaded.sources[i].path;
  }
  if (loaded.sources.size() > kMaxPaths) paths += ", …";
  const std::string text = fmt::format(
      "no node in {}: reports are empty; name a graph, run metadata or a "
      "profile as well",
      paths);
  TellError(absl::FailedPreconditionError(text), "tfprof: " + text, agent, ui);
}

int Usage(const absl::Status& status, bool agent, Ui& ui) {
  TellError(status, "tfprof: " + std::string(status.message()), agent, ui);
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

// The lines of -f FILE; "-" is stdin. nullptr: there is none, or `error` says
// why it cannot be read.
FILE* OpenScript(const std::string& path, int& error) {
  if (path.empty() || path == "-") return nullptr;
  FILE* script = fopen(path.c_str(), "r");
  struct stat info;
  if (script == nullptr) {
    error = errno;
  } else if (fstat(fileno(script), &info) == 0 && S_ISDIR(info.st_mode)) {
    error = EISDIR;
  }
  return script;
}

bool AgentInEnvironment() {
  const char* value = getenv("TFPROF_AGENT");
  return value != nullptr && std::string_view(value) == "1";
}

bool NamesAgent(std::span<const std::string> arguments) {
  return std::any_of(arguments.begin(), arguments.end(),
                     [](const std::string& word) {
                       return word == "-agent" || word == "--agent";
                     });
}

// A bare word that is no file may be meant as a command.
std::string NoSuchInput(const CommandLine& line, const absl::Status& status) {
  const std::string message(status.message());
  if (!absl::IsNotFound(status) || line.command.info != nullptr ||
      line.inputs.files.size() != 1 ||
      line.inputs.files[0].find_first_of("./") != std::string::npos) {
    return message;
  }
  return fmt::format("{} is neither a command nor a file ({})",
                     line.inputs.files[0], message);
}

// Loads what `line` names and runs its command, or the lines of `ui`.
bool RunOnProfile(const CommandLine& line, Ui& ui) {
  const bool agent = line.command.options.agent;
  absl::StatusOr<Loaded> loaded = LoadWithBar(line.inputs);
  if (!loaded.ok()) {
    const std::string text = NoSuchInput(line, loaded.status());
    TellError(absl::Status(loaded.status().code(), text), text, agent, ui);
    return false;
  }
  malloc_trim(0);  // what loading needed and the profile does not
  TellLoading(*loaded, ui);
  bool good = !loaded->log.damaged();
  if (!line.inputs.empty() && loaded->profile.nodes().size() == 0) {
    // The report is shown all the same, as the reference does.
    TellNothingThere(*loaded, agent, ui);
    good = false;
  }
  std::unique_ptr<Base> base;
  if (!line.base.empty()) {
    auto loaded_base = Base::Load(line.base, line.inputs.max_memory, ui);
    if (!loaded_base.ok()) {
      const std::string text =
          "--base: " + std::string(loaded_base.status().message());
      TellError(absl::Status(loaded_base.status().code(), text), text, agent,
                ui);
      return false;
    }
    base = *std::move(loaded_base);
    good &= !base->damaged();
  }
  Session session(*std::move(loaded), line.command.options, ui);
  session.SetBase(std::move(base));
  session.RememberInputs(line.inputs);
  if (line.command.info != nullptr) {
    const ScopedPhase phase("command", line.command.info->name);
    return session.Run(line.command).ok() && good;
  }
  // A person has seen the errors that they made.
  return (RunShell(session, ui) || ui.interactive()) && good;
}

// Writes what --self_profile asked for.
bool WriteSelfProfile(const std::string& path, Ui& ui) {
  const absl::Status status = WriteFile(path, SelfProfile::ChromeTrace());
  if (!status.ok()) {
    ui.Error(fmt::format("tfprof: --self_profile: {}\n",
                         std::string(status.message())));
  }
  return status.ok();
}

}  // namespace

bool RunShell(Session& session, Ui& ui) {
  bool good = true;
  std::string line;
  // Ctrl-C stops a command, and never a person's shell.
  std::optional<InterruptStops> interrupts;
  if (ui.interactive()) {
    interrupts.emplace();
    ui.SetCompleter(
        [&session](std::string_view typed) { return session.Complete(typed); });
  }
  while (!session.done() && ui.ReadLine(session.Prompt(), line)) {
    good &= session.RunLine(line).ok();
  }
  ui.SetCompleter({});
  return good;
}

int RunProgram(std::span<const std::string> arguments) {
  Options defaults;
  defaults.agent = AgentInEnvironment();
  const absl::StatusOr<CommandLine> parsed =
      ParseCommandLine(arguments, defaults);
  // Of words that make no sense, one may still say who reads the message.
  const bool agent = parsed.ok() ? parsed->command.options.agent
                                 : defaults.agent || NamesAgent(arguments);
  int script_error = 0;
  const std::unique_ptr<FILE, void (*)(FILE*)> script(
      parsed.ok() ? OpenScript(parsed->script, script_error) : nullptr,
      [](FILE* f) {
        if (f != nullptr) fclose(f);
      });
  TerminalUi ui(script != nullptr ? script.get() : stdin);
  if (!parsed.ok()) return Usage(parsed.status(), agent, ui);
  const CommandLine& line = *parsed;
  if (script_error != 0) {
    ui.Error(fmt::format("tfprof: cannot read the script {}: {}\n", line.script,
                         strerror(script_error)));
    return kFailed;
  }
  if (line.version) ui.out().Write(kVersion);
  if (line.help) ui.out().Write(UsageText());
  if (line.version || line.help) return Finish(true, ui);

  const CommandInfo* command = line.command.info;
  if (line.inputs.empty() && command == nullptr && line.script.empty()) {
    ui.out().Write(HelpText());
    return Finish(true, ui);
  }
  if (!line.inputs.profile_path.empty() &&
      !(line.inputs.graph_path.empty() && line.inputs.run_meta_paths.empty())) {
    ui.Error(
        "--profile_path is set, do not set --graph_path or --run_meta_path\n");
    return kFailed;
  }
  if (command != nullptr && !command->one_shot) {
    return Usage(absl::InvalidArgumentError(fmt::format(
                     "{} is a command of the shell only", command->name)),
                 agent, ui);
  }
  const bool checks = command != nullptr && command->id == CommandId::kCheck;
  if (command != nullptr && command->id != CommandId::kHelp && !checks &&
      line.inputs.empty()) {
    return Usage(absl::InvalidArgumentError(fmt::format(
                     "{} of what? Name a profile: a file, a directory, or "
                     "--profile_path=FILE",
                     command->name)),
                 agent, ui);
  }
  if (line.threads > 0) SetNumThreads(line.threads);
  if (!line.self_profile.empty()) SelfProfile::Enable();
  const int checked =
      checks ? RunCheck(line.command, line.check, line.inputs.max_memory, ui)
             : kOk;
  bool good = checks || RunOnProfile(line, ui);
  if (!line.self_profile.empty())
    good &= WriteSelfProfile(line.self_profile, ui);
  const int finished = Finish(good, ui);
  // That a rule fails is all that 1 says of a check.
  return checks ? (finished == kOk ? checked : kUsage) : finished;
}

}  // namespace tfprof
