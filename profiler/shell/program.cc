#include "profiler/shell/program.h"

#include <errno.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "profiler/commands/help.h"
#include "profiler/commands/parse.h"
#include "profiler/commands/rows.h"
#include "profiler/commands/usage.h"
#include "profiler/commands/workspace.h"
#include "profiler/mcp/server.h"
#include "profiler/record/record_program.h"
#include "profiler/shell/deliver.h"
#include "profiler/shell/long_work.h"
#include "profiler/shell/pipe.h"
#include "profiler/shell/session.h"
#include "profiler/shell/suggest.h"
#include "profiler/shell/terminal_ui.h"
#include "server/serve.h"
#include "util/interrupt.h"
#include "util/memory_limit.h"
#include "util/self_profile.h"
#include "util/text_layout.h"
#include "util/threads.h"

namespace tfprof {
namespace {

constexpr std::string_view kVersion = "tfprof 0.1\n";

// Reports an error in the program's arguments, with a suggestion.
int Usage(const absl::Status& status, const Refusal& refusal, bool agent,
          Ui& ui) {
  std::string text(status.message());
  const std::string hint = SuggestFor(refusal);
  if (!hint.empty()) text += (text.ends_with('\n') ? "" : "\n") + hint;
  ReportError(absl::Status(status.code(), text), "tfprof: " + text, agent, ui);
  return kUsage;
}

// Flushes stdout and returns the exit status of the program.
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

// Whether a word of the arguments names an input.
bool NamesInput(const std::string& word) {
  struct stat info;
  return stat(word.c_str(), &info) == 0;
}

// The overview with the options of the session.
Command OverviewCommand(const Session& session) {
  Command command = {.info = FindCommand("overview"),
                     .options = session.defaults(),
                     .arguments = {}};
  // Files are for the answers of lines.
  OutputSpec& output = command.options.output;
  if (!FindOutput(output.type).is_format) output = {};
  return command;
}

// A plain word that is not a file may be meant as a command.
std::string NoSuchInput(const CommandLine& line, const absl::Status& status) {
  const std::string message(status.message());
  if (!absl::IsNotFound(status) || line.command.info != nullptr) return message;
  for (const std::string& word : line.flags.inputs.files) {
    if (word.find_first_of("./") != std::string::npos || NamesInput(word)) {
      continue;
    }
    const std::string hint =
        SuggestFor({.kind = Refusal::Kind::kCommand, .word = word});
    return fmt::format("{} is neither a command nor a file ({}); {}", word,
                       message, hint);
  }
  return message;
}

// Loads the inputs of `line` and runs its command, or the lines of `ui`. An
// error has been reported already.
absl::Status RunOnProfile(const CommandLine& line, Ui& ui) {
  const bool agent = line.command.options.agent;
  const LoadRequest& inputs = line.flags.inputs;
  Workspace workspace;
  workspace.defaults = line.command.options;
  workspace.inputs = inputs;
  workspace.load = LoadWithBar;
  workspace.work = {.threads = inputs.work.threads,
                    .cancellation = &ui.cancellation()};
  auto opened = OpenInputs(inputs, workspace);
  if (!opened.ok()) {
    const absl::Status failed(opened.status().code(),
                              NoSuchInput(line, opened.status()));
    ReportError(failed, std::string(failed.message()), agent, ui);
    return failed;
  }
  // What loading needed and the profile does not. One command takes it again at
  // once, and ends.
  if (line.command.info == nullptr) malloc_trim(0);
  workspace.opened = *std::move(opened);
  const Loaded& loaded = workspace.opened->loaded;
  for (const std::string& note : LoadNotes(loaded)) ui.Error(note + "\n");
  std::string missing;
  absl::Status status = CheckLoaded(inputs, loaded, &missing);
  if (!missing.empty()) {
    // An empty graph is a graph. Without one the report is shown anyway, as the
    // reference does.
    const std::string text = "tfprof: " + missing;
    if (absl::IsFailedPrecondition(status)) {
      ReportError(status, text, agent, ui);
    } else {
      ui.Error(text + "\n");
    }
  }
  if (!line.flags.base.empty()) {
    std::vector<std::string> notes;
    absl::StatusOr<Base> base = LoadBase(line.flags.base, workspace, notes);
    for (const std::string& note : notes) ui.Error(note + "\n");
    if (!base.ok()) {
      const absl::Status failed(
          base.status().code(),
          "--base: " + std::string(base.status().message()));
      ReportError(failed, std::string(failed.message()), agent, ui);
      return failed;
    }
    if (base->opened->loaded.log.damaged()) {
      status = absl::DataLossError("the base is damaged");
    }
    workspace.base = std::make_shared<const Base>(*std::move(base));
  }
  workspace.for_person = ui.interactive() || ui.screen().terminal;
  Session session(std::move(workspace), ui);
  if (line.command.info != nullptr) {
    const ScopedPhase phase("command", line.command.info->name);
    const absl::Status ran = session.Run(line.command);
    return ran.ok() ? status : ran;
  }
  // A person sees the overview before the prompt. So does one who types no
  // lines, because stdin is empty or the answer goes into a pipe.
  const bool scripted = !line.flags.script.empty();
  const Greeting greeting = inputs.empty() || scripted ? Greeting::kNone
                            : ui.interactive()         ? Greeting::kOverview
                                                       : Greeting::kIfNoLines;
  if (greeting == Greeting::kIfNoLines && isatty(STDIN_FILENO) != 0) {
    const absl::Status shown = session.Run(OverviewCommand(session));
    return shown.ok() ? status : shown;
  }
  // On a terminal the user has seen the errors.
  if (!RunShell(session, ui, greeting) && !ui.interactive() && status.ok()) {
    status = absl::AbortedError("a line failed");
  }
  return status;
}

// Loads the inputs of `line` and serves `pipe`. What is said about them belongs
// to the first reply. Returns the errno with which stdout failed, or 0.
int RunPipe(const CommandLine& line) {
  PipeUi ui;
  Workspace workspace;
  workspace.defaults = line.command.options;
  workspace.inputs = line.flags.inputs;
  workspace.work = {.threads = line.flags.inputs.work.threads,
                    .cancellation = &ui.cancellation()};
  absl::Status unopened;
  auto opened = OpenInputs(workspace.inputs, workspace);
  if (!opened.ok()) {
    unopened = opened.status();
    // A profile with nothing in it.
    opened = std::make_shared<OpenProfile>(Loaded(), workspace.work);
  }
  workspace.opened = *std::move(opened);
  const Loaded& loaded = workspace.opened->loaded;
  std::vector<std::string> notes = LoadNotes(loaded);
  if (unopened.ok()) {
    notes.emplace_back();
    CheckLoaded(workspace.inputs, loaded, &notes.back()).IgnoreError();
  }
  if (unopened.ok() && !line.flags.base.empty()) {
    absl::StatusOr<Base> base = LoadBase(line.flags.base, workspace, notes);
    if (base.ok()) {
      workspace.base = std::make_shared<const Base>(*std::move(base));
    } else {
      unopened =
          absl::Status(base.status().code(),
                       "--base: " + std::string(base.status().message()));
    }
  }
  malloc_trim(0);  // what loading needed and the profile does not
  for (const std::string& note : notes) ui.Note(note);
  Session session(std::move(workspace), ui);
  PipeServer server(session, ui, unopened);
  return ServePipe(server, ui, STDIN_FILENO, STDOUT_FILENO);
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

bool RunShell(Session& session, Ui& ui, Greeting greeting) {
  bool good = true;
  bool has_lines = false;
  std::string line;
  // Ctrl-C stops a command, and never a person's shell.
  std::optional<InterruptCancels> interrupts;
  if (ui.interactive()) {
    interrupts.emplace(ui.cancellation());
    ui.SetCompleter(
        [&session](std::string_view typed) { return session.Complete(typed); });
  }
  if (greeting == Greeting::kOverview) {
    ui.cancellation().Reset();
    // The shell begins even if the overview was cancelled.
    session.Run(OverviewCommand(session)).IgnoreError();
  }
  while (!session.done() && ui.ReadLine(session.Prompt(), line)) {
    has_lines = true;
    session.CountLine();
    good &= session.RunLine(line).ok();
  }
  if (!has_lines && greeting == Greeting::kIfNoLines) {
    good &= session.Run(OverviewCommand(session)).ok();
  }
  ui.SetCompleter({});
  return good;
}

int RunProgram(std::span<const std::string> arguments) {
  Options defaults;
  defaults.agent = AgentInEnvironment();
  Refusal refusal;
  const absl::StatusOr<CommandLine> parsed =
      ParseCommandLine(arguments, defaults, NamesInput, &refusal);
  // Even among invalid arguments, -agent decides the form of the message.
  const bool agent = parsed.ok() ? parsed->command.options.agent
                                 : defaults.agent || NamesAgent(arguments);
  int script_error = 0;
  const std::unique_ptr<FILE, void (*)(FILE*)> script(
      parsed.ok() ? OpenScript(parsed->flags.script, script_error) : nullptr,
      [](FILE* f) {
        if (f != nullptr) fclose(f);
      });
  TerminalUi ui(script != nullptr ? script.get() : stdin);
  if (!parsed.ok()) return Usage(parsed.status(), refusal, agent, ui);
  const CommandLine& line = *parsed;
  if (script_error != 0) {
    ui.Error(fmt::format("tfprof: cannot read the script {}: {}\n",
                         line.flags.script, strerror(script_error)));
    return kFailed;
  }
  if (line.version) ui.out().Write(kVersion);
  if (line.help) {
    // `op --help` is help on op.
    ui.out().Write(line.command.info == nullptr
                       ? UsageText()
                       : HelpFor(line.command.info->name).value());
  }
  if (line.version || line.help) return Finish(true, ui);

  const CommandInfo* command = line.command.info;
  if (line.flags.inputs.empty() && command == nullptr &&
      line.flags.script.empty()) {
    // Scripts get the reference's text.
    const Screen screen = ui.screen();
    ui.out().Write(screen.terminal
                       ? FitLines(UsageText(), screen.width, /*broken=*/true)
                       : HelpText());
    return Finish(true, ui);
  }
  if (command == &kTuiCommand) {
    // Before a profile is loaded for nothing.
    const absl::Status can = ui.CanBrowse();
    if (!can.ok()) {
      ReportError(can, "tfprof: " + std::string(can.message()), agent, ui);
      return kUsage;
    }
  }
  if (command != nullptr && !command->one_shot) {
    return Usage(absl::InvalidArgumentError(fmt::format(
                     "{} is a command of the shell only", command->name)),
                 refusal, agent, ui);
  }
  // The folder of a session is there for programs that run.
  const bool live =
      command == &kServeCommand && !line.command.options.serve.session.empty();
  if (live && !line.flags.inputs.empty()) {
    return Usage(absl::InvalidArgumentError(
                     "serve -session DIR shows what is in DIR; start another "
                     "server for a profile"),
                 refusal, agent, ui);
  }
  if (command != nullptr && command->inputs == CommandInfo::Inputs::kProfile &&
      line.flags.inputs.empty() && !live) {
    return Usage(absl::InvalidArgumentError(fmt::format(
                     "{} of what? Name a profile: a file, a directory, or "
                     "--profile_path=FILE",
                     command->name)),
                 refusal, agent, ui);
  }
  if (command != nullptr) {
    const std::vector<std::string> wrong =
        RegexNotes(line.command.options.view);
    if (!wrong.empty()) {
      return Usage(absl::InvalidArgumentError(wrong[0]), {}, agent, ui);
    }
  }
  if (command == &kRecordCommand) {
    // Before memory is limited: the program would inherit it.
    return RecordProgram(line.command.options.record, line.command.arguments,
                         [&](std::string_view text) { ui.Error(text); });
  }
  // 1 is a verdict of such a command, see the end of this function.
  if (command != nullptr && command->is_verdict) EndWithoutMemory(kUsage);
  LimitMemory(line.flags.inputs.max_memory, NumThreads(line.flags.inputs.work));
  if (command == &kMcpCommand) {
    const std::string& root = line.command.arguments[0];
    if (!NamesInput(root)) {
      ui.Error(fmt::format("tfprof: {}: {}\n", root, strerror(errno)));
      return kFailed;
    }
    McpServer server(root);
    ServeMcp(server, stdin, stdout);
    return kOk;
  }
  if (command == &kPipeCommand) {
    const int error = RunPipe(line);
    if (error == 0) return kOk;
    ui.Error(fmt::format("tfprof: stdout could not be written: {}\n",
                         strerror(error)));
    return kFailed;
  }
  if (command == &kServeCommand) {
    const absl::Status served = Serve({.inputs = line.flags.inputs,
                                       .base = line.flags.base,
                                       .options = line.command.options.serve},
                                      [&](std::string_view text) {
                                        ui.out().Write(text);
                                        ui.Flush();
                                      });
    if (!served.ok()) {
      ReportError(served, "tfprof: " + std::string(served.message()), agent,
                  ui);
    }
    return Finish(served.ok(), ui);
  }
  const std::string& self_profile = line.flags.self_profile;
  if (!self_profile.empty()) SelfProfile::Enable();
  const absl::Status status = RunOnProfile(line, ui);
  bool good = status.ok();
  if (!self_profile.empty()) good &= WriteSelfProfile(self_profile, ui);
  const int finished = Finish(good, ui);
  if (finished == kOk || command == nullptr || !command->is_verdict) {
    return finished;
  }
  return IsNegativeVerdict(status) && ui.output_error() == 0 ? kFailed : kUsage;
}

}  // namespace tfprof
