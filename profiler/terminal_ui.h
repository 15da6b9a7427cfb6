// TerminalUi: the Ui of the program, on stdin, stdout and stderr.
//
// On a terminal, lines are edited with libedit: history (kept in
// $XDG_STATE_HOME/tfprof/history, or ~/.local/state/…, readable by its owner
// only), completion on Tab, Ctrl-C drops the line, Ctrl-D leaves. Elsewhere
// lines are read plainly and no prompt is printed.

#ifndef TFPROF_PROFILER_TERMINAL_UI_H_
#define TFPROF_PROFILER_TERMINAL_UI_H_

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "profiler/ui.h"

namespace tfprof {

class LineEditor;

class TerminalUi : public Ui {
 public:
  // Whole lines that complete the line so far.
  using Completer = std::function<std::vector<std::string>(std::string_view)>;

  // Lines come from `input`: stdin, or a script.
  TerminalUi(FILE* input, Completer completer);
  ~TerminalUi() override;

  bool ReadLine(std::string_view prompt, std::string& line) override;
  Sink& out() override { return stdout_; }
  void Flush() override;
  void Error(std::string_view text) override;
  bool interactive() const override { return editor_ != nullptr; }

  // Something could not be written to stdout (disk full).
  bool output_failed() const;

 private:
  class StdoutSink : public Sink {
   public:
    void Write(std::string_view bytes) override;
  };

  FILE* input_;
  StdoutSink stdout_;
  std::unique_ptr<LineEditor> editor_;  // nullptr: not a terminal
};

}  // namespace tfprof

#endif  // TFPROF_PROFILER_TERMINAL_UI_H_
