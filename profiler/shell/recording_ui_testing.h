// RecordingUi: a Ui for tests. Lines come from a list, and output is kept.

#ifndef TFPROF_PROFILER_SHELL_RECORDING_UI_TESTING_H_
#define TFPROF_PROFILER_SHELL_RECORDING_UI_TESTING_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "profiler/shell/ui.h"

namespace tfprof::shell {

class RecordingUi : public Ui {
 public:
  explicit RecordingUi(std::vector<std::string> lines = {},
                       bool interactive = false)
      : lines_(std::move(lines)), interactive_(interactive) {}

  bool ReadLine(std::string_view prompt, std::string& line) override {
    prompts_.emplace_back(prompt);
    if (read_ == lines_.size()) return false;
    line = lines_[read_++];
    return true;
  }
  util::Sink& out() override { return out_; }
  void Flush() override { flushed_ = out_.text().size(); }
  void Error(std::string_view text) override { errors_ += text; }
  absl::Status CanBrowse() const override { return absl::OkStatus(); }
  absl::Status Browse(const commands::Command&,
                      const commands::Workspace&) override {
    out_.Write("(the browser)\n");
    return absl::OkStatus();
  }
  bool interactive() const override { return interactive_; }

  const std::string& output() const { return out_.text(); }
  const std::string& errors() const { return errors_; }
  const std::vector<std::string>& prompts() const { return prompts_; }
  size_t lines_read() const { return read_; }
  // Whether all output was flushed.
  bool all_flushed() const { return flushed_ == out_.text().size(); }

 private:
  const std::vector<std::string> lines_;
  const bool interactive_;
  size_t read_ = 0;
  size_t flushed_ = 0;
  util::StringSink out_;
  std::string errors_;
  std::vector<std::string> prompts_;
};

}  // namespace tfprof::shell

#endif  // TFPROF_PROFILER_SHELL_RECORDING_UI_TESTING_H_
