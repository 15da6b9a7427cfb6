#include "profiler/shell/shell.h"

#include <utility>
#include <vector>

#include "fmt/format.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/line.h"
#include "profiler/commands/refusal.h"
#include "profiler/shell/terminal/suggest.h"
#include "util/text/safe_text.h"
#include "util/text/text_layout.h"

namespace tfprof::shell {
namespace {

// The name of a base for the prompt: without its folders, and short.
std::string BaseText(std::string_view name) {
  constexpr size_t kColumns = 30;
  while (name.ends_with('/')) name.remove_suffix(1);
  return util::Shortened(util::SafeText(name.substr(name.rfind('/') + 1)),
                         kColumns, "...");
}

// The prefix of the names in the scope of `cd`; "" if they have none.
std::string ScopeOf(const commands::Workspace& workspace) {
  const inspect::Place& here = workspace.here;
  if (here.tree != views::View::kScope || here.rows.empty()) return "";
  return commands::WorkingPlace(workspace).substr(1) + "/";
}

}  // namespace

Shell::Shell(commands::Workspace workspace, Ui& ui)
    : workspace_(std::move(workspace)), ui_(ui) {}

absl::Status Shell::RunLine(std::string_view line) {
  ui_.cancellation().Reset();
  absl::Status status;
  if (line.empty()) {
    ui_.out().Write(options::FormatOptions(workspace_.defaults));
    ui_.Flush();
  } else if (const absl::StatusOr<commands::Line> split =
                 commands::SplitLine(line);
             split.ok()) {
    status = RunSplit(*split);
  } else {
    status = split.status();
    ReportError(status, LineError(status), workspace_.defaults.agent, ui_);
  }
  if (!ui_.cancellation().requested()) return status;
  ui_.Error("\nCancelled.\n");
  return absl::CancelledError("cancelled");
}

absl::Status Shell::RunSplit(const commands::Line& line) {
  // A line of blanks, or a comment: nothing to do.
  if (line.words.empty()) return absl::OkStatus();
  if (line.redirection.kind == commands::Redirection::Kind::kNone)
    return RunWords(line);
  const bool agent = workspace_.defaults.agent;
  absl::StatusOr<std::unique_ptr<RedirectionTarget>> target =
      OpenRedirection(line.redirection, &ui_.cancellation());
  if (!target.ok()) {
    ReportError(target.status(), TextOf(target.status()), agent, ui_);
    return target.status();
  }
  ui_.Flush();
  ui_.Redirect(&(*target)->sink());
  absl::Status status = RunWords(line);
  ui_.Redirect(nullptr);
  absl::Status closed = (*target)->Close(status.ok());
  if (!status.ok() || closed.ok() || ui_.cancellation().requested())
    return status;
  ReportError(closed, TextOf(closed), agent, ui_);
  return closed;
}

absl::Status Shell::RunWords(const commands::Line& line) {
  commands::Refusal refusal;
  const absl::StatusOr<commands::Command> command =
      commands::ParseCommand(line.words, workspace_.defaults, &refusal);
  if (command.ok()) {
    absl::Status status = Run(*command);
    // The lines that follow are about a profile that is not there.
    if (!status.ok() && !ui_.interactive() && command->info->name == "load") {
      ui_.Error(fmt::format("line {}: the script ends here\n", line_number_));
      workspace_.done = true;
    }
    return status;
  }
  const bool agent = workspace_.defaults.agent;
  ReportError(command.status(), LineError(command.status()), agent, ui_);
  if (!agent) HintAt(refusal);
  return command.status();
}

absl::Status Shell::Browse(const commands::Command& command) {
  absl::Status status = ui_.Browse(command, workspace_);
  if (!status.ok()) {
    ReportError(status, TextOf(status), command.options.agent, ui_);
  }
  return status;
}

std::string Shell::TextOf(const absl::Status& status) const {
  return ErrorText(status, workspace_.defaults.InReferenceForm());
}

std::string Shell::LineError(const absl::Status& status) const {
  const std::string message(status.message());
  if (workspace_.defaults.InReferenceForm()) {
    return fmt::format("E: {}: {}", absl::StatusCodeToString(status.code()),
                       message);
  }
  return ui_.interactive() ? message
                           : fmt::format("line {}: {}", line_number_, message);
}

absl::Status Shell::Run(const commands::Command& command) {
  if (command.info->browses) return Browse(command);
  const commands::IntactFiles intact(command, workspace_);
  tables::Answer answer = tfprof::commands::Run(command, workspace_);
  // Drop the names of a profile that was replaced.
  if (named_ != workspace_.opened) {
    names_.reset();
    named_.reset();
  }
  absl::Status status = Deliver(answer, command, seen_, ui_, intact);
  if (status.ok()) HintNames(command, answer);
  return status;
}

void Shell::HintAt(const commands::Refusal& refusal) {
  // Our own errors have the hint in them.
  if (!workspace_.defaults.InReferenceForm()) return;
  const std::string hint = commands::SuggestFor(refusal);
  if (ui_.interactive()) {
    Hint(hint);
  } else if (const std::string what = commands::RefusedText(refusal);
             !what.empty()) {
    ui_.Error(fmt::format("line {}: {}{}{}\n", line_number_, what,
                          hint.empty() ? "" : "; ", hint));
  }
}

void Shell::Hint(std::string_view text) {
  if (!text.empty()) ui_.Error(fmt::format("{}\n", text));
}

void Shell::HintNames(const commands::Command& command,
                      const tables::Answer& answer) {
  const options::Options& options = command.options;
  if (!command.info->view.has_value() || workspace_.base != nullptr ||
      options.agent ||
      options.output.type != options::OutputSpec::Type::kStdout ||
      (options.InReferenceForm() && !ui_.interactive()) ||
      ui_.cancellation().requested()) {
    return;
  }
  // All views but op have a row for their root.
  const size_t always = command.info->view == views::View::kOp ? 0 : 1;
  if (answer.data.parts.empty() ||
      answer.data.parts[0].table.num_rows > always) {
    return;
  }
  Hint(SuggestNames(*command.info->view, options.view, Names()));
}

NameIndex& Shell::Names() {
  if (!names_) {
    named_ = workspace_.opened;
    names_.emplace(named_->profile());
  }
  return *names_;
}

Completion Shell::Complete(std::string_view line) {
  NameIndex& names = Names();
  // After the first completion more usually follow.
  names.Prepare();
  return tfprof::shell::Complete(
      line, {.names = &names, .scope = ScopeOf(workspace_)});
}

std::string Shell::Prompt() const {
  std::string prompt = "tfprof";
  const std::string where = commands::WorkingPlace(workspace_);
  if (where != "/") prompt += fmt::format(" {}", where);
  if (workspace_.base != nullptr) {
    prompt += fmt::format(" (vs {})", BaseText(workspace_.base->name));
  }
  return prompt + "> ";
}

}  // namespace tfprof::shell
