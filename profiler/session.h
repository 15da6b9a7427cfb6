// Session: a loaded profile, the options that `set` left, and the commands on
// it.
//
// Run() answers a parsed command; its status is what scripts want to know (the
// query failed), its output is already with the Ui. Messages that the
// reference writes to stderr are written in its words.

#ifndef TFPROF_PROFILER_SESSION_H_
#define TFPROF_PROFILER_SESSION_H_

#include <string>

#include "absl/status/status.h"
#include "loaders/load.h"
#include "profiler/commands.h"
#include "profiler/ui.h"
#include "views/views.h"

namespace tfprof {

class Session {
 public:
  // `ui` must outlive the session.
  Session(Loaded loaded, Options defaults, Ui& ui);

  // A line of the shell. Not OK: it failed, which the Ui has been told.
  absl::Status RunLine(std::string_view line);
  absl::Status Run(const Command& command);

  const Options& defaults() const { return defaults_; }
  bool done() const { return done_; }

 private:
  absl::Status RunView(View view, const Options& options);
  absl::Status ShowReport(View view, const Options& options);
  absl::Status WriteTimelines(View view, const Options& options);
  absl::Status WriteTimeline(View view, const Options& options);
  absl::Status WritePprof(const Options& options);
  absl::Status WriteFullPprof(View view, const Options& options);
  absl::Status Advise(const Command& command);
  std::string StatusText() const;

  // Writes `text` to `stderr` as a line, and fails.
  absl::Status Refuse(std::string_view text);
  // The same for an error, and nothing for success.
  absl::Status Tell(const absl::Status& status);
  void WarnOfRegexes(const ViewOptions& options);
  void NoteGradients();

  Loaded loaded_;
  Views views_;
  Options defaults_;
  Ui& ui_;
  bool done_ = false;
  bool told_gradients_ = false;
};

}  // namespace tfprof

#endif  // TFPROF_PROFILER_SESSION_H_
