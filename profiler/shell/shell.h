// Shell: a workspace behind a Ui. It reads lines into commands, runs them,
// and delivers their answers; completion and the prompt are here too.

#ifndef TFPROF_PROFILER_SHELL_SHELL_H_
#define TFPROF_PROFILER_SHELL_SHELL_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/parse.h"
#include "profiler/commands/workspace.h"
#include "profiler/shell/deliver.h"
#include "profiler/shell/redirect.h"
#include "profiler/shell/terminal/completion.h"
#include "profiler/shell/terminal/name_index.h"
#include "profiler/shell/ui.h"

namespace tfprof::shell {

class Shell {
 public:
  // `ui` must outlive the session.
  Shell(commands::Workspace workspace, Ui& ui);

  // A line of the shell. Not OK: it failed, which was reported to the Ui.
  absl::Status RunLine(std::string_view line);
  absl::Status Run(const commands::Command& command);
  // A line was read. Errors of a script name the line.
  void CountLine() { ++line_number_; }

  // The completions for a line that begins with `line`.
  Completion Complete(std::string_view line);

  bool done() const { return workspace_.done; }
  const commands::Workspace& workspace() const { return workspace_; }
  const options::Options& defaults() const { return workspace_.defaults; }
  // "tfprof> ", with the scope of `cd`.
  std::string Prompt() const;

 private:
  absl::Status RunSplit(const commands::Line& line);
  absl::Status RunWords(const commands::Line& line);
  // `tui`, which has no answer.
  absl::Status Browse(const commands::Command& command);
  // The text of an error, and of one that is in the line itself.
  std::string TextOf(const absl::Status& status) const;
  std::string LineError(const absl::Status& status) const;
  // Shows what may have been meant by a line that the reference's command line
  // refused: its own message does not say it.
  void HintAt(const commands::Refusal& refusal);
  void Hint(std::string_view text);
  void HintNames(const commands::Command& command,
                 const tables::Answer& answer);
  NameIndex& Names();

  commands::Workspace workspace_;
  RedirectedUi ui_;
  SeenSentences seen_;
  // The names of `named_`, which they point into.
  std::shared_ptr<commands::OpenProfile> named_;
  std::optional<NameIndex> names_;
  int64_t line_number_ = 0;
};

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_SHELL_H_
