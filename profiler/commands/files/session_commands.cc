// The commands about the session itself: set, load, reload, base, exit, quit.

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/show/word_answer.h"
#include "profiler/options/other_words.h"
#include "util/text/safe_text.h"

namespace tfprof::commands {
namespace {

constexpr std::string_view kRunFlag = "run_meta_path";

tables::Answer RunSet(const Command& command, Workspace& workspace) {
  // The reference notices it at the next command.
  if (command.options.view.step != workspace.defaults.view.step &&
      !command.options.InReferenceForm()) {
    const absl::Status known =
        CheckStep(workspace.profile(), command.options.view.step);
    if (!known.ok()) return tables::ErrorAnswer(known);
  }
  workspace.defaults = command.options;
  return {};
}

tables::Answer NotOpened(const absl::Status& status) {
  return tables::ErrorAnswer(absl::Status(
      status.code(), fmt::format("{}; the profile that was open stays open",
                                 std::string(status.message()))));
}

// Makes `opened`, which comes from `inputs`, the profile that is open.
tables::Answer Install(std::shared_ptr<OpenProfile> opened,
                       loaders::LoadRequest inputs, Workspace& workspace) {
  tables::Answer answer;
  const std::string where = WorkingPlace(workspace);
  workspace.opened = std::move(opened);
  workspace.inputs = std::move(inputs);
  workspace.gradients_noted = false;
  workspace.outside_noted = false;
  workspace.flops_noted = flops::FlopsSource::kOpLog;
  // If the scope does not exist any more, the place is the root, and the error
  // says why.
  workspace.here = {};
  absl::StatusOr<inspect::Place> place =
      inspect::FindPlace(workspace.views(), workspace.here, where);
  if (place.ok()) {
    workspace.here = *std::move(place);
  } else {
    answer.status = place.status();
  }
  return answer;
}

tables::Answer Open(loaders::LoadRequest inputs, Workspace& workspace) {
  auto opened = OpenInputs(inputs, workspace);
  if (!opened.ok()) return NotOpened(opened.status());
  std::vector<std::string> notes =
      LoadNotes((*opened)->loaded, workspace.defaults.InReferenceForm());
  tables::Answer answer =
      Install(*std::move(opened), std::move(inputs), workspace);
  answer.notes = std::move(notes);
  return answer;
}

// Whether the word is STEP:FILE.
bool NamesStep(std::string_view word) {
  const size_t digits = word.find_first_not_of("0123456789");
  return digits > 0 && digits != word.npos && word[digits] == ':' &&
         digits + 1 < word.size();
}

tables::Answer RunAdd(const Command& command, Workspace& workspace) {
  loaders::LoadRequest runs;
  for (const std::string& word : command.arguments) {
    if (!NamesStep(word)) {
      return tables::ErrorAnswer(absl::InvalidArgumentError(
          fmt::format("add takes STEP:FILE, as 3:run_meta_3; found {}",
                      util::SafeText(word))));
    }
    runs.flagged.push_back({std::string(kRunFlag), word});
  }
  loaders::LoadRequest inputs = workspace.inputs;
  inputs.flagged.insert(inputs.flagged.end(), runs.flagged.begin(),
                        runs.flagged.end());
  if (workspace.inputs.empty()) return Open(std::move(inputs), workspace);
  runs.max_memory = inputs.max_memory;
  runs.work = workspace.work;
  const loaders::Loaded& before = workspace.opened->loaded;
  loaders::ImportLog added;
  auto loaded = loaders::AddRuns(before, runs, added);
  if (!loaded.ok()) return NotOpened(loaded.status());
  std::vector<std::string> notes;
  for (size_t i = before.coverage.size(); i < loaded->coverage.size(); ++i) {
    notes.push_back(CoverageNote(loaded->coverage[i]));
  }
  for (std::string& note : added.Lines()) notes.push_back(std::move(note));
  tables::Answer answer =
      Install(std::make_shared<OpenProfile>(*std::move(loaded), workspace.work),
              std::move(inputs), workspace);
  answer.notes = std::move(notes);
  return answer;
}

tables::Answer RunLoad(const Command& command, Workspace& workspace) {
  loaders::LoadRequest inputs;
  inputs.files = command.arguments;
  inputs.max_memory = workspace.inputs.max_memory;
  return Open(std::move(inputs), workspace);
}

tables::Answer RunReload(const Command&, Workspace& workspace) {
  return Open(workspace.inputs, workspace);
}

tables::Answer RunBase(const Command& command, Workspace& workspace) {
  const std::vector<std::string>& words = command.arguments;
  if (words.empty()) {
    const std::string name =
        workspace.base == nullptr ? "" : workspace.base->name;
    return WordAnswer("base", "base", name,
                      name.empty() ? "There is no base.\n"
                                   : fmt::format("The base is {}.\n", name));
  }
  if (words.size() == 1 && words[0] == "none") {
    workspace.base = nullptr;
    return {};
  }
  tables::Answer answer;
  absl::StatusOr<Base> base = LoadBase(words, workspace, answer.notes);
  if (base.ok()) {
    workspace.base = std::make_shared<const Base>(*std::move(base));
  } else {
    answer.status =
        absl::FailedPreconditionError(std::string(base.status().message()));
  }
  return answer;
}

// Resets one option; its default may be no value.
void Reset(const options::Option& option, options::Options& options) {
  const options::Options defaults;
  if (option.name == "order_by") {
    options.order = defaults.order;
  } else if (option.name == "max_depth") {
    options.max_depth = defaults.max_depth;
  } else if (option.name == "limit") {
    options.limit = defaults.limit;
  } else {
    options::ParseOption(option, option.format(defaults), options)
        .IgnoreError();
  }
}

tables::Answer RunUnset(const Command& command, Workspace& workspace) {
  options::Options& options = workspace.defaults;
  for (const std::string& word : command.arguments) {
    const options::Option* option =
        options::FindOption(word.substr(word.starts_with('-') ? 1 : 0));
    if (option == nullptr) {
      const std::string hint = options::OptionHint(word);
      return tables::ErrorAnswer(absl::InvalidArgumentError(
          fmt::format("there is no option \"{}\"{}{}", util::SafeText(word),
                      hint.empty() ? "" : "; ", hint)));
    }
    Reset(*option, options);
  }
  if (command.arguments.empty()) {
    const bool reference = options.reference;
    options = options::Options();
    options.reference = reference;
  }
  return {};
}

tables::Answer RunHistory(const Command&, Workspace&) {
  const std::string text =
      "Up brings back earlier lines, and Ctrl-R searches them. They are kept "
      "in\n$XDG_STATE_HOME/tfprof/history or ~/.local/state/tfprof/history.\n";
  return WordAnswer("history", "text", text, text);
}

tables::Answer RunClear(const Command&, Workspace& workspace) {
  tables::Answer answer;
  if (!workspace.for_person) return answer;
  answer.forms.push_back(
      {.name = "text",
       .write = [](const tables::TextLook&,
                   util::Sink& sink) { sink.Write("\x1b[H\x1b[2J"); },
       .safe = true});
  answer.own_form = answer.reference_form = answer.agent_form = "text";
  return answer;
}

tables::Answer RunExit(const Command&, Workspace& workspace) {
  workspace.done = true;
  return {};
}

}  // namespace

extern constinit const CommandInfo kSetCommand = {
    .name = "set",
    .one_shot = false,
    .help = "Keep options for the lines that follow.",
    .answers =
        "Keeps options for the lines that follow. An empty line shows "
        "them.",
    .examples = {"set -order_by micros -max_depth 3",
                 "set -select micros,bytes,occurrence"},
    .options = ~options::kOwnOptions,
    .outputs = ~0u,
    .run = RunSet};

extern constinit const CommandInfo kUnsetCommand = {
    .name = "unset",
    .arguments = "[OPTION…]",
    .max_arguments = 100,
    .one_shot = false,
    .help = "Reset options of set; without a name, all.",
    .answers = "Forgets what set keeps.",
    .examples = {"unset order_by", "unset"},
    .completes = options::Completes::kTopic,
    .run = RunUnset};

extern constinit const CommandInfo kHistoryCommand = {
    .name = "history",
    .one_shot = false,
    .help = "Where earlier lines are, and how to get them back.",
    .answers = "How do I repeat an earlier line?",
    .examples = {"history", "history  # or the key Up"},
    .run = RunHistory};

extern constinit const CommandInfo kClearCommand = {
    .name = "clear",
    .one_shot = false,
    .help = "Clear the screen.",
    .answers = "Begins at the top of an empty screen.",
    .examples = {"clear", "clear  # or Ctrl-L"},
    .run = RunClear};

extern constinit const CommandInfo kLoadCommand = {
    .name = "load",
    .arguments = "FILE…",
    .min_arguments = 1,
    .max_arguments = 10000,
    .one_shot = false,
    .help = "Open other files; the profile stays if that fails.",
    .answers =
        "Looks at other files. Options stay, and the scope where it exists.",
    .examples = {"load profile.pb", "load 'my profile.pb'"},
    .completes = options::Completes::kFile,
    .run = RunLoad};

extern constinit const CommandInfo kAddCommand = {
    .name = "add",
    .arguments = "STEP:FILE…",
    .min_arguments = 1,
    .max_arguments = 10000,
    .one_shot = false,
    .help =
        "Add files of RunMetadata to the profile, each as a step; the profile "
        "stays if that fails.",
    .answers =
        "Looks at a step that has just been recorded, without loading the "
        "others again. Files of one step add up.",
    .examples = {"add 3:run_meta_3", "add 4:run_meta_4 5:run_meta_5"},
    .completes = options::Completes::kFile,
    .run = RunAdd};

extern constinit const CommandInfo kReloadCommand = {
    .name = "reload",
    .one_shot = false,
    .help = "Open the same files again.",
    .answers = "Loads files that have changed since they were opened.",
    .examples = {"reload", "reload  # options stay"},
    .run = RunReload};

extern constinit const CommandInfo kBaseCommand = {
    .name = "base",
    .arguments = "[FILE…|none]",
    .max_arguments = 10000,
    .one_shot = false,
    .help =
        "Compare with this profile: views show what changed. Without an "
        "argument, print which profile it is.",
    .answers =
        "What changed since another profile? Views then show the differences.",
    .examples = {"base", "base none"},
    .completes = options::Completes::kFile,
    .options = options::kOutputOptions,
    .run = RunBase};

extern constinit const CommandInfo kExitCommand = {
    .name = "exit",
    .one_shot = false,
    .help = "Leave (also quit, or Ctrl-D).",
    .answers = "Ends the shell. History is kept.",
    .examples = {"exit", "exit  # or Ctrl-D"},
    .run = RunExit};

extern constinit const CommandInfo kQuitCommand = {
    .name = "quit",
    .one_shot = false,
    .help = "Leave.",
    .answers = "Ends the shell. History is kept.",
    .examples = {"quit", "quit  # or Ctrl-D"},
    .run = RunExit};

}  // namespace tfprof::commands
