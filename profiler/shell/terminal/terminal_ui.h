// TerminalUi: the Ui of the program, on stdin, stdout and stderr.
//
// On a terminal, lines are edited with libedit: history (kept in
// $XDG_STATE_HOME/tfprof/history, or ~/.local/state/…, readable by its owner
// only), completion on Tab, Ctrl-C drops the line, Ctrl-D leaves. Elsewhere
// lines are read plainly and no prompt is printed. Control characters in what
// a terminal shows are escaped; a file or a pipe gets every byte as it is.

#ifndef TFPROF_PROFILER_SHELL_TERMINAL_TERMINAL_UI_H_
#define TFPROF_PROFILER_SHELL_TERMINAL_TERMINAL_UI_H_

#include <unistd.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "profiler/shell/ui.h"

namespace tfprof::shell {

class LineEditor;

class TerminalUi : public Ui {
 public:
  // Lines come from `input`: stdin, or a script.
  explicit TerminalUi(FILE* input);
  ~TerminalUi() override;

  bool ReadLine(std::string_view prompt, std::string& line) override;
  util::Sink& out() override { return stdout_; }
  // Asks the terminal each time: windows are resized between commands.
  Screen screen() const override;
  void Show(PagerUse pager,
            const std::function<void(util::Sink&)>& write) override;
  void Flush() override;
  void Error(std::string_view text) override;
  void SetCompleter(const Completer& completer) override;
  absl::Status CanBrowse() const override;
  absl::Status Browse(const commands::Command& command,
                      const commands::Workspace& workspace) override;
  bool interactive() const override { return editor_ != nullptr; }

  // From now on no report is shown in a pager.
  void DropPager() { has_pager_ = false; }

  // The first error of writing to stdout (ENOSPC: disk full), 0 if none. EPIPE:
  // the reader stopped reading, as in `| head`.
  int output_error() const { return stdout_.error(); }

 private:
  class StdoutSink : public util::Sink {
   public:
    explicit StdoutSink(const util::Cancellation& cancellation)
        : cancellation_(cancellation) {}
    void Write(std::string_view bytes) override;
    bool wanted() const override { return !cancellation_.requested(); }
    void WriteAsIs(std::string_view bytes);
    void Flush();
    int error() const { return error_; }

   private:
    const bool is_terminal_ = isatty(STDOUT_FILENO) != 0;
    const util::Cancellation& cancellation_;
    int error_ = 0;
  };

  // stdout for text whose control characters are escaped already.
  class AsIsSink : public util::Sink {
   public:
    explicit AsIsSink(StdoutSink& out) : out_(out) {}
    void Write(std::string_view bytes) override { out_.WriteAsIs(bytes); }
    bool wanted() const override { return out_.wanted(); }

   private:
    StdoutSink& out_;
  };

  FILE* input_;
  bool has_pager_ = true;
  StdoutSink stdout_;
  std::unique_ptr<LineEditor> editor_;  // nullptr: not a terminal
};

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_TERMINAL_TERMINAL_UI_H_
