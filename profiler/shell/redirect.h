// Where the output of a line goes: `op > FILE`, `op >> FILE`, `op | COMMAND`
// (commands/line.h says what redirects). What follows '|' is for /bin/sh. Only
// what the command writes to stdout goes there; messages stay.

#ifndef TFPROF_PROFILER_SHELL_REDIRECT_H_
#define TFPROF_PROFILER_SHELL_REDIRECT_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "profiler/commands/line.h"
#include "profiler/shell/ui.h"
#include "util/files/sink.h"

namespace tfprof::shell {

class RedirectionTarget {
 public:
  virtual ~RedirectionTarget() = default;
  virtual util::Sink& sink() = 0;
  // Call it after the command; `good`: the command succeeded, and only then is
  // a file replaced. A pipe's command is waited for; its exit status is an
  // error if it is not 0. That it does not read all of its input is no error.
  virtual absl::Status Close(bool good) = 0;
};

// `cancellation` must outlive the target.
absl::StatusOr<std::unique_ptr<RedirectionTarget>> OpenRedirection(
    const commands::Redirection& redirection,
    const util::Cancellation* cancellation = nullptr);

// A Ui whose reports can be redirected.
class RedirectedUi : public Ui {
 public:
  // `ui` must outlive this.
  explicit RedirectedUi(Ui& ui) : ui_(ui) {}

  // nullptr: not redirected.
  void Redirect(util::Sink* sink) { sink_ = sink; }

  bool ReadLine(std::string_view prompt, std::string& line) override {
    return ui_.ReadLine(prompt, line);
  }
  util::Sink& out() override { return sink_ != nullptr ? *sink_ : ui_.out(); }
  Screen screen() const override {
    return sink_ != nullptr ? Screen() : ui_.screen();
  }
  void Show(PagerUse pager,
            const std::function<void(util::Sink&)>& write) override {
    if (sink_ == nullptr) return ui_.Show(pager, write);
    write(*sink_);
  }
  absl::Status CanBrowse() const override {
    return sink_ == nullptr
               ? ui_.CanBrowse()
               : absl::InvalidArgumentError(
                     "tui is for the terminal: it cannot be redirected");
  }
  absl::Status Browse(const commands::Command& command,
                      const commands::Workspace& workspace) override {
    return sink_ == nullptr ? ui_.Browse(command, workspace) : CanBrowse();
  }
  void Flush() override { ui_.Flush(); }
  void Error(std::string_view text) override { ui_.Error(text); }
  void Note(std::string_view text) override { ui_.Note(text); }
  util::Cancellation& cancellation() override { return ui_.cancellation(); }
  bool interactive() const override { return ui_.interactive(); }

 private:
  Ui& ui_;
  util::Sink* sink_ = nullptr;
};

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_REDIRECT_H_
