// LineEditor: libedit, with history, completion, and a Ctrl-C that drops the
// line instead of the program.

#ifndef TFPROF_PROFILER_LINE_EDITOR_H_
#define TFPROF_PROFILER_LINE_EDITOR_H_

#include <histedit.h>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tfprof {

class LineEditor {
 public:
  using Completer = std::function<std::vector<std::string>(std::string_view)>;

  explicit LineEditor(Completer completer);
  ~LineEditor();
  LineEditor(const LineEditor&) = delete;
  LineEditor& operator=(const LineEditor&) = delete;

  // An empty line after Ctrl-C. False at Ctrl-D or the end of input.
  bool ReadLine(std::string_view prompt, std::string& line);

 private:
  static unsigned char Complete(EditLine* edit, int key);
  static char* Prompt(EditLine* edit);

  Completer completer_;
  std::string prompt_;
  std::string history_path_;  // empty: nowhere to keep it
  EditLine* edit_;
  History* history_;
};

}  // namespace tfprof

#endif  // TFPROF_PROFILER_LINE_EDITOR_H_
