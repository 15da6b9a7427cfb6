// LineEditor: reads lines with libedit, with history and completion. Ctrl-C
// drops the line and does not end the program.

#ifndef TFPROF_PROFILER_SHELL_TERMINAL_LINE_EDITOR_H_
#define TFPROF_PROFILER_SHELL_TERMINAL_LINE_EDITOR_H_

#include <histedit.h>

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "profiler/shell/terminal/completion.h"

namespace tfprof::shell {

class LineEditor {
 public:
  // The names in `listed` go to the terminal as they are.
  using Completer = std::function<Completion(std::string_view line)>;

  LineEditor();
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  void SetCompleter(Completer completer) { completer_ = std::move(completer); }

  // Ctrl-C drops the line, and the prompt comes again. False at Ctrl-D or the
  // end of input.
  bool ReadLine(std::string_view prompt, std::string& line);

 private:
  // The line that the user types, with its newline, and its size. nullptr:
  // Ctrl-C, Ctrl-D or the end of input.
  const char* Type(int& size);
  static unsigned char Complete(EditLine* edit, int key);
  static char* Prompt(EditLine* edit);

  Completer completer_;
  std::string prompt_;
  std::string history_path_;  // empty: nowhere to keep it
  EditLine* edit_;
  History* history_;
};

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_TERMINAL_LINE_EDITOR_H_
