// Ui: everything that the shell does to the outside, as an interface.
//
// Reports go to out(), which is stdout: nothing else is printed there. Every
// message goes to Error(). The terminal is one implementation; tests record.

#ifndef TFPROF_PROFILER_UI_H_
#define TFPROF_PROFILER_UI_H_

#include <string>
#include <string_view>

#include "exporters/sink.h"

namespace tfprof {

class Ui {
 public:
  virtual ~Ui() = default;

  // The next line, without its newline. False at the end of input.
  virtual bool ReadLine(std::string_view prompt, std::string& line) = 0;

  virtual Sink& out() = 0;
  // What was written to out() is to be seen now.
  virtual void Flush() = 0;
  // A message; complete lines, or a part that continues.
  virtual void Error(std::string_view text) = 0;

  // A person types the lines.
  virtual bool interactive() const = 0;
};

}  // namespace tfprof

#endif  // TFPROF_PROFILER_UI_H_
