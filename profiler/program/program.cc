#include "profiler/program/program.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>

#include "fmt/format.h"
#include "profiler/commands/help/help.h"
#include "profiler/commands/help/usage.h"
#include "profiler/commands/meaning.h"
#include "profiler/commands/parse.h"
#include "profiler/commands/refusal.h"
#include "profiler/commands/workspace.h"
#include "profiler/options/flags.h"
#include "profiler/options/option_word.h"
#include "profiler/program/inputs.h"
#include "profiler/program/serving.h"
#include "profiler/program/untrusted.h"
#include "profiler/shell/deliver.h"
#include "profiler/shell/exit_status.h"
#include "profiler/shell/long_work.h"
#include "profiler/shell/run_shell.h"
#include "profiler/shell/shell.h"
#include "profiler/shell/terminal/terminal_ui.h"
#include "util/run/memory_limit.h"
#include "util/run/self_profile.h"
#include "util/run/threads.h"
#include "util/run/time_limit.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"
#include "util/version.h"

namespace tfprof::program {
namespace {

// Reports an error in the program's arguments, with a suggestion.
int Usage(const absl::Status& status, const commands::Refusal& refusal,
          bool agent, bool reference, shell::Ui& ui) {
  std::string text(status.message());
  // Our own sentences have the hint in them.
  const std::string hint =
      reference ? commands::SuggestFor(refusal) : std::string();
  if (!hint.empty()) text += (text.ends_with('\n') ? "" : "\n") + hint;
  shell::ReportError(absl::Status(status.code(), text), "tfprof: " + text,
                     agent, ui);
  return shell::kUsage;
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
  if (stat(word.c_str(), &info) == 0) return true;
  // STEP:FILE
  const size_t colon = word.find_first_not_of("0123456789");
  return colon != word.npos && colon > 0 && word[colon] == ':' &&
         stat(word.c_str() + colon + 1, &info) == 0;
}

// `fleet` is a command of the Python package, which this program is a part of
// but cannot find.
bool AsksForFleet(std::span<const std::string> arguments) {
  return !arguments.empty() && arguments[0] == "fleet" &&
         !NamesInput(arguments[0]);
}

// The first input that is a dataset of a fleet, which that package reads; "" if
// there is none.
std::string DatasetOf(const commands::CommandLine& line) {
  for (const std::string& word : line.flags.inputs.files) {
    struct stat info;
    if (stat((word + "/_tfprof.json").c_str(), &info) == 0) return word;
  }
  return "";
}

// What is said about a word that is no file; "": nothing is known about it.
std::string HintAtInput(const std::string& word, bool has_command) {
  // Of a question in quotes, as "select * from ops", the first word counts.
  const std::string first = word.substr(0, word.find(' '));
  std::string hint = commands::KnownWordHint(first);
  if (hint.empty() && !has_command &&
      word.find_first_of("./") == std::string::npos) {
    hint = commands::CommandHint(first);
  }
  return hint;
}

// A plain word that is not a file may be meant as a command.
std::string NoSuchInput(const commands::CommandLine& line,
                        const absl::Status& status) {
  std::string message(status.message());
  if (!absl::IsNotFound(status)) return message;
  for (const std::string& word : line.flags.inputs.files) {
    if (NamesInput(word)) continue;
    const std::string hint = HintAtInput(word, line.command.info != nullptr);
    if (hint.empty()) continue;
    const std::string_view reason =
        std::string_view(message).starts_with(word + "; ")
            ? std::string_view(message).substr(word.size() + 2)
            : std::string_view(message);
    return fmt::format("{} is neither a command nor a file ({}); {}",
                       util::SafeText(word), reason, hint);
  }
  // No shell has seen the word.
  return message.find_first_of("*?[") == std::string::npos
             ? message
             : message +
                   "; without quotes your shell finds the files of a pattern";
}

// Whether a file begins as no line of a script does: it is data.
bool IsData(FILE* script) {
  const int first = fgetc(script);
  ungetc(first, script);
  return first == '{' || first == '[' || first >= 0x7f ||
         (first >= 0 && first < ' ' && first != '\n' && first != '\t' &&
          first != '\r');
}

// Reports what the loaders found in the inputs of `line`. Not OK: nothing can
// be run.
absl::Status SayInputs(const commands::CommandLine& line,
                       const LoadedInputs& inputs, shell::Ui& ui) {
  const bool agent = line.command.options.agent;
  const auto failed = [&](const std::string& text) {
    absl::Status status(inputs.error.code(), text);
    shell::ReportError(status, text, agent, ui);
    return status;
  };
  if (inputs.workspace.opened == nullptr) {
    return failed(NoSuchInput(line, inputs.error));
  }
  for (const std::string& note : inputs.notes) ui.Error(note + "\n");
  if (!inputs.missing.empty()) {
    // An empty graph is a graph. Without one the report is shown anyway, as the
    // reference does.
    const std::string text = "tfprof: " + inputs.missing;
    if (absl::IsFailedPrecondition(inputs.state)) {
      shell::ReportError(inputs.state, text, agent, ui);
    } else {
      ui.Error(text + "\n");
    }
  }
  for (const std::string& note : inputs.base_notes) ui.Error(note + "\n");
  if (inputs.error.ok()) return absl::OkStatus();
  return failed(std::string(inputs.error.message()));
}

// Loads the inputs of `line` and runs its command, or the lines of `ui`. An
// error has been reported already.
absl::Status RunOnProfile(const commands::CommandLine& line, shell::Ui& ui) {
  LoadedInputs inputs = OpenLine(line, shell::LoadWithBar, ui.cancellation());
  absl::Status usable = SayInputs(line, inputs, ui);
  if (!usable.ok()) return usable;
  absl::Status status = inputs.state;
  commands::Workspace& workspace = inputs.workspace;
  if (workspace.base != nullptr &&
      workspace.base->opened->loaded.log.damaged()) {
    status = absl::DataLossError("the base is damaged");
  }
  workspace.for_person = ui.interactive() || ui.screen().terminal;
  shell::Shell session(std::move(workspace), ui);
  if (line.command.info != nullptr) {
    const util::ScopedPhase phase("command", line.command.info->name);
    const absl::Status ran = session.Run(line.command);
    return ran.ok() ? status : ran;
  }
  // A person sees the overview before the prompt. So does one who types no
  // lines, because stdin is empty or the answer goes into a pipe.
  const bool scripted = !line.flags.script.empty();
  const shell::Greeting greeting =
      line.flags.inputs.empty() || scripted ? shell::Greeting::kNone
      : ui.interactive()                    ? shell::Greeting::kOverview
                                            : shell::Greeting::kIfNoLines;
  if (greeting == shell::Greeting::kIfNoLines && isatty(STDIN_FILENO) != 0) {
    const absl::Status shown = shell::ShowOverview(session);
    return shown.ok() ? status : shown;
  }
  // On a terminal the user has seen the errors.
  if (!shell::RunShell(session, ui, greeting) && !ui.interactive() &&
      status.ok()) {
    status = absl::AbortedError("a line failed");
  }
  return status;
}

// Writes what --self_profile asked for.
bool WriteSelfProfile(const std::string& path, shell::Ui& ui) {
  const absl::Status status =
      util::WriteFile(path, util::SelfProfile::ChromeTrace());
  if (!status.ok()) {
    ui.Error(fmt::format("tfprof: --self_profile: {}\n",
                         std::string(status.message())));
  }
  return status.ok();
}

// Writes the version or the help that `line` asks for. False: for neither.
bool ShowHelp(const commands::CommandLine& line, shell::TerminalUi& ui) {
  const commands::CommandInfo* command = line.command.info;
  if (line.version) ui.out().Write(fmt::format("tfprof {}\n", util::kVersion));
  if (line.help) {
    // `op --help` is help on op.
    ui.out().Write(command == nullptr
                       ? commands::UsageText()
                       : commands::HelpFor(command->name).value());
  }
  if (line.version || line.help) return true;
  if (!line.flags.inputs.empty() || command != nullptr ||
      !line.flags.script.empty()) {
    return false;
  }
  const shell::Screen screen = ui.screen();
  ui.out().Write(screen.terminal ? util::FitLines(commands::StartText(),
                                                  screen.width, /*broken=*/true)
                                 : commands::StartText());
  return true;
}

// Whether the option that names what `command` shows was given.
bool HasOptionForInputs(const commands::CommandInfo& command,
                        const options::Options& options) {
  const options::Option* option =
      options::FindOption(command.option_for_inputs);
  return option != nullptr &&
         option->format(options) != option->format(options::Options());
}

// Whether the program can run the command of `line`, which has one.
absl::Status CheckCall(const commands::CommandLine& line) {
  const commands::CommandInfo& command = *line.command.info;
  if (!command.one_shot) {
    return absl::InvalidArgumentError(
        fmt::format("{} is a command of the shell only", command.name));
  }
  const bool named = HasOptionForInputs(command, line.command.options);
  if (named && !line.flags.inputs.empty()) {
    return absl::InvalidArgumentError(fmt::format(
        "{0} -{1} DIR shows what is in DIR; start another server for "
        "a profile",
        command.name, command.option_for_inputs));
  }
  if (command.inputs == commands::CommandInfo::Inputs::kProfile &&
      line.flags.inputs.empty() && !named) {
    return absl::InvalidArgumentError(
        fmt::format("{} of what? Name a profile: a file, a directory, or "
                    "--profile_path=FILE",
                    command.name));
  }
  return absl::OkStatus();
}

// Runs a command that answers once, or the shell.
int RunOnce(const commands::CommandLine& line, shell::TerminalUi& ui) {
  const commands::CommandInfo* command = line.command.info;
  const bool is_verdict = command != nullptr && command->is_verdict;
  const std::string& self_profile = line.flags.self_profile;
  if (!self_profile.empty()) util::SelfProfile::Enable();
  const absl::Status status = RunOnProfile(line, ui);
  bool good = status.ok();
  if (!self_profile.empty()) good &= WriteSelfProfile(self_profile, ui);
  const int finished = Finish(good, ui);
  if (finished == shell::kOk || !is_verdict) return finished;
  return commands::IsNegativeVerdict(status) && ui.output_error() == 0
             ? shell::kFailed
             : shell::kUsage;
}

// Runs what `line` asks for: a command, one that serves, or the shell.
int RunLine(const commands::CommandLine& line, shell::TerminalUi& ui) {
  const commands::CommandInfo* command = line.command.info;
  const bool is_verdict = command != nullptr && command->is_verdict;
  // 1 is a verdict of such a command, see the end of RunOnce().
  const int failed = is_verdict ? shell::kUsage : shell::kFailed;
  util::EndWithoutMemory(failed);
  const ServingCommand* serving = FindServing(command);
  const bool serves = command != nullptr && command->name == "serve";
  const bool confined = line.flags.untrusted.value_or(serves);
  const bool untrusted = serving == nullptr && confined;
  // A program that we run would inherit the limits.
  if (command == nullptr || !command->takes_program) {
    const size_t memory = line.flags.inputs.max_memory;
    util::LimitMemory(memory == 0 && confined ? UntrustedMemory() : memory,
                      util::NumThreads(line.flags.inputs.work));
    // A server has no end; its questions have.
    if (!untrusted && !serves) util::LimitTime(line.flags.max_seconds, failed);
  }
  if (serving != nullptr) return serving->serve(line, ui);
  if (!untrusted) return RunOnce(line, ui);
  return RunUntrusted(line, failed, ui, [&] { return RunOnce(line, ui); });
}

// `tfprof --untrusted FILE` shows what the shell would show first.
void NameOverview(commands::CommandLine& line) {
  if (!line.flags.untrusted.value_or(false) || line.command.info != nullptr ||
      !line.flags.script.empty() || line.flags.inputs.empty()) {
    return;
  }
  line.command.info = commands::FindCommand("overview");
}

}  // namespace

int RunProgram(std::span<const std::string> arguments) {
  if (AsksForFleet(arguments)) {
    fmt::print(stderr,
               "tfprof: fleet is in the Python package, which has DuckDB and "
               "Parquet: pip install 'tfprof[fleet]', then tfprof-fleet, with "
               "the same arguments\n");
    return shell::kUsage;
  }
  options::Options defaults;
  defaults.agent = AgentInEnvironment();
  commands::Refusal refusal;
  absl::StatusOr<commands::CommandLine> parsed =
      commands::ParseCommandLine(arguments, defaults, NamesInput, &refusal);
  // Even among invalid arguments, -agent decides the form of the message.
  const bool agent = parsed.ok() ? parsed->command.options.agent
                                 : defaults.agent || NamesAgent(arguments);
  int script_error = 0;
  const std::unique_ptr<FILE, void (*)(FILE*)> script(
      parsed.ok() ? OpenScript(parsed->flags.script, script_error) : nullptr,
      [](FILE* f) {
        if (f != nullptr) fclose(f);
      });
  shell::TerminalUi ui(script != nullptr ? script.get() : stdin);
  const bool reference =
      !agent && std::any_of(arguments.begin(), arguments.end(),
                            [](const std::string& word) {
                              return options::IsReferenceFlag(
                                  options::SplitOptionWord(word).name);
                            });
  if (!parsed.ok()) {
    return Usage(parsed.status(), refusal, agent, reference, ui);
  }
  NameOverview(*parsed);
  const commands::CommandLine& line = *parsed;
  if (script_error != 0) {
    ui.Error(fmt::format("tfprof: cannot read the script {}: {}\n",
                         line.flags.script, strerror(script_error)));
    return shell::kFailed;
  }
  if (script != nullptr && IsData(script.get())) {
    ui.Error(fmt::format(
        "tfprof: {0} is no script: -f FILE runs the lines of FILE; to open "
        "it, name it without -f: tfprof {0}\n",
        util::SafeText(line.flags.script)));
    return shell::kUsage;
  }
  if (ShowHelp(line, ui)) return Finish(true, ui);
  if (const std::string dataset = DatasetOf(line); !dataset.empty()) {
    ui.Error(fmt::format(
        "tfprof: {0} is a dataset of a fleet, which the Python package reads: "
        "tfprof-fleet {0} overview, or tfprof-fleet serve {0} for a browser\n",
        util::SafeText(dataset)));
    return shell::kUsage;
  }
  if (const commands::CommandInfo* command = line.command.info) {
    // Before a profile is loaded for nothing.
    const absl::Status can =
        command->browses ? ui.CanBrowse() : absl::OkStatus();
    if (!can.ok()) {
      shell::ReportError(can, "tfprof: " + std::string(can.message()), agent,
                         ui);
      return shell::kUsage;
    }
    const absl::Status callable = CheckCall(line);
    if (!callable.ok()) {
      return Usage(callable, refusal, agent, reference, ui);
    }
    const std::vector<std::string> wrong =
        commands::RegexNotes(line.command.options.view);
    if (!wrong.empty()) {
      return Usage(absl::InvalidArgumentError(wrong[0]), {}, agent, reference,
                   ui);
    }
  }
  if (line.flags.untrusted.value_or(false) &&
      (line.command.info == nullptr || line.command.info->name != "serve")) {
    const absl::Status confinable = CheckUntrusted(line);
    if (!confinable.ok()) {
      return Usage(confinable, {}, agent, reference, ui);
    }
  }
  return RunLine(line, ui);
}

}  // namespace tfprof::program
