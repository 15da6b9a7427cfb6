// Session: a loaded profile, the options that `set` left, and the commands on
// it.
//
// Run() answers a parsed command; its status is what scripts want to know (the
// query failed), its output is already with the Ui. Messages that the
// reference writes to stderr are written in its words.

#ifndef TFPROF_PROFILER_SHELL_SESSION_H_
#define TFPROF_PROFILER_SHELL_SESSION_H_

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "loaders/load.h"
#include "profiler/commands/base.h"
#include "profiler/commands/commands.h"
#include "profiler/shell/completion.h"
#include "profiler/shell/name_index.h"
#include "profiler/commands/navigate.h"
#include "profiler/shell/redirect.h"
#include "profiler/shell/ui.h"
#include "views/views.h"

namespace tfprof {

class Session {
 public:
  // `ui` must outlive the session.
  Session(Loaded loaded, Options defaults, Ui& ui);

  // A line of the shell. Not OK: it failed, which the Ui has been told.
  absl::Status RunLine(std::string_view line);
  absl::Status Run(const Command& command);

  // What Tab offers for a line that begins so.
  Completion Complete(std::string_view line);

  const Options& defaults() const { return defaults_; }
  bool done() const { return done_; }

  // What views are compared with from now on; nullptr: nothing.
  void SetBase(std::unique_ptr<Base> base) { base_ = std::move(base); }
  // What `reload` opens, and `load` keeps the limits of.
  void RememberInputs(LoadRequest inputs) { inputs_ = std::move(inputs); }
  // "tfprof> ", with the scope where one is.
  std::string Prompt();

 private:
  absl::Status RunDirected(std::string_view line);
  absl::Status RunView(View view, const Command& command);
  absl::Status ShowReport(View view, const Command& command);
  absl::Status WriteTimelines(View view, const Options& options);
  absl::Status WriteTimeline(View view, const Options& options);
  absl::Status WritePprof(const Options& options);
  absl::Status WriteFullPprof(View view, const Options& options);
  absl::Status Advise(const Command& command);
  absl::Status ChooseBase(const Command& command);
  absl::Status Open(const LoadRequest& inputs);
  absl::Status Navigate(const Command& command);
  absl::Status CheckStep(int64_t step);
  // A line without what redirects it, and what it is redirected to.
  absl::Status RunWords(std::string_view line);
  absl::Status RunRedirected(const Redirection& redirection);
  absl::Status Status(const Command& command);
  absl::Status Help(const Command& command);
  // Answers with one word: as `text`, or as data in a column.
  absl::Status TellWord(const Command& command, std::string_view column,
                        const std::string& word, const std::string& text);
  // What `text` explains and has not been explained before, for a person.
  std::string Introduction(std::string_view text);

  // Writes `text` to `stderr` as a line, and fails with `status`.
  absl::Status Fail(absl::Status status, std::string_view text);
  absl::Status Refuse(std::string_view text);
  // The same for an error, and nothing for success.
  absl::Status Tell(const absl::Status& status);
  // For a person: what else they may have meant.
  void Hint(std::string_view text);
  void HintNames(const Report& report);
  NameIndex& Names();
  void WarnOfRegexes(const ViewOptions& options);
  void NoteGradients();
  void NoteFlops(const ViewOptions& options);

  Loaded loaded_;
  Views views_;
  std::unique_ptr<Base> base_;
  std::optional<NameIndex> names_;
  Options defaults_;
  RedirectedUi ui_;
  Navigator navigator_;
  LoadRequest inputs_;
  bool done_ = false;
  bool told_gradients_ = false;
  FlopsSource told_flops_ = FlopsSource::kOpLog;
  bool agent_ = false;  // of the command that runs
  std::set<std::string, std::less<>> explained_;
};

}  // namespace tfprof

#endif  // TFPROF_PROFILER_SHELL_SESSION_H_
