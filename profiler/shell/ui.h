// Ui: the interface through which the shell reads lines and shows answers.
//
// Reports go to out(), which is stdout: nothing else is printed there. Every
// message goes to Error(). The terminal is one implementation; tests record.

#ifndef TFPROF_PROFILER_SHELL_UI_H_
#define TFPROF_PROFILER_SHELL_UI_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/workspace.h"
#include "profiler/shell/terminal/completion.h"
#include "util/files/sink.h"
#include "util/run/cancellation.h"

namespace tfprof::shell {

// The screen that shows a report. It is queried before each report, because
// windows change.
struct Screen {
  bool terminal = false;
  size_t width = 80;
  size_t height = 24;
  bool color = false;   // the terminal has colours, and the user allows them
  bool unicode = true;  // characters beyond ASCII are shown
  bool pager = false;   // long reports can be scrolled
};

class Ui {
 public:
  virtual ~Ui() = default;

  // The next line, without its newline. False at the end of input.
  virtual bool ReadLine(std::string_view prompt, std::string& line) = 0;

  virtual util::Sink& out() = 0;
  virtual Screen screen() const { return {}; }
  // Calls `write` with a sink like out(), but for text whose control characters
  // are escaped already (safe_text.h), so that it may contain our own colours.
  // With `pager` the sink is the pager, and Show() returns when the user has
  // left it.
  struct PagerUse {
    bool wanted = false;
    size_t header = 0;  // lines that stay in sight, if the pager can do that
  };
  virtual void Show(PagerUse pager,
                    const std::function<void(util::Sink&)>& write) {
    (void)pager;
    write(out());
    Flush();
  }
  // Shows everything that was written to out().
  virtual void Flush() = 0;
  // A message; complete lines, or a part that continues.
  virtual void Error(std::string_view text) = 0;
  // A message that is no error.
  virtual void Note(std::string_view text) { Error(text); }

  // The function that completes a line on Tab, until the next call.
  using Completer = std::function<Completion(std::string_view line)>;
  virtual void SetCompleter(const Completer& /*completer*/) {}

  // Whether the person has cancelled the command that runs.
  virtual util::Cancellation& cancellation() { return cancellation_; }

  // Whether Browse() can show the full-screen browser; if not, a sentence about
  // the missing part.
  virtual absl::Status CanBrowse() const {
    return absl::FailedPreconditionError("tui needs a terminal");
  }
  // Shows it, for the command `tui`, until the person leaves it.
  virtual absl::Status Browse(const commands::Command& command,
                              const commands::Workspace& workspace) {
    (void)command, (void)workspace;
    return CanBrowse();
  }

  // Whether a person types the lines.
  virtual bool interactive() const = 0;

 private:
  util::Cancellation cancellation_;
};

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_UI_H_
