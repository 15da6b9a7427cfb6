#include "profiler/shell/terminal/terminal_ui.h"

#include <errno.h>
#include <langinfo.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "profiler/shell/terminal/line_editor.h"
#include "profiler/tui/screen.h"
#include "profiler/tui/terminfo.h"
#include "util/run/pager.h"
#include "util/text/safe_text.h"

namespace tfprof::shell {
namespace {

// A size from the environment, for terminals that do not know theirs.
size_t SizeFrom(const char* name, size_t otherwise) {
  const char* value = getenv(name);
  const int number = value == nullptr ? 0 : atoi(value);
  return number > 0 ? static_cast<size_t>(number) : otherwise;
}

bool IsSet(const char* name) {
  const char* value = getenv(name);
  return value != nullptr && *value != '\0';
}

class FileStreamSink : public util::Sink {
 public:
  FileStreamSink(FILE* file, const util::Cancellation& cancellation)
      : file_(file), cancellation_(cancellation) {}
  void Write(std::string_view bytes) override {
    if (wanted()) fwrite(bytes.data(), 1, bytes.size(), file_);
  }
  bool wanted() const override { return !cancellation_.requested(); }

 private:
  FILE* file_;
  const util::Cancellation& cancellation_;
};

}  // namespace

TerminalUi::TerminalUi(FILE* input) : input_(input), stdout_(cancellation()) {
  if (input == stdin && isatty(STDIN_FILENO) && isatty(STDOUT_FILENO)) {
    editor_ = std::make_unique<LineEditor>();
  }
}

TerminalUi::~TerminalUi() = default;

void TerminalUi::SetCompleter(const Completer& completer) {
  if (editor_ == nullptr) return;
  if (!completer) return editor_->SetCompleter({});
  editor_->SetCompleter([completer](std::string_view line) {
    Completion completion = completer(line);
    for (std::string& name : completion.listed) {
      name = util::SafeText(name);
    }
    return completion;
  });
}

bool TerminalUi::ReadLine(std::string_view prompt, std::string& line) {
  if (editor_ != nullptr) return editor_->ReadLine(prompt, line);
  char* text = nullptr;
  size_t capacity = 0;
  const ssize_t size = getline(&text, &capacity, input_);
  if (size >= 0) {
    line.assign(text, static_cast<size_t>(size));
    if (!line.empty() && line.back() == '\n') line.pop_back();
    if (!line.empty() && line.back() == '\r') line.pop_back();
  }
  free(text);
  return size >= 0;
}

void TerminalUi::StdoutSink::Write(std::string_view bytes) {
  if (is_terminal_) {
    WriteAsIs(util::SafeLines(bytes));
  } else {
    WriteAsIs(bytes);
  }
}

void TerminalUi::StdoutSink::WriteAsIs(std::string_view bytes) {
  // A terminal gets the text in pieces, so that little of it follows after a
  // Ctrl-C.
  constexpr size_t kPiece = 4096;
  while (!bytes.empty() && wanted()) {
    const std::string_view piece =
        is_terminal_ ? bytes.substr(0, kPiece) : bytes;
    if (fwrite(piece.data(), 1, piece.size(), stdout) != piece.size() &&
        error_ == 0) {
      error_ = errno;
    }
    bytes.remove_prefix(piece.size());
  }
}

void TerminalUi::StdoutSink::Flush() {
  if (fflush(stdout) != 0 && error_ == 0) error_ = errno;
}

Screen TerminalUi::screen() const {
  Screen screen;
  screen.terminal = isatty(STDOUT_FILENO) != 0;
  struct winsize size = {};
  if (screen.terminal) ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  screen.width = size.ws_col > 0 ? size.ws_col : SizeFrom("COLUMNS", 80);
  screen.height = size.ws_row > 0 ? size.ws_row : SizeFrom("LINES", 24);
  const char* term = getenv("TERM");
  screen.color = screen.terminal && !IsSet("NO_COLOR") && IsSet("TERM") &&
                 std::string_view(term) != "dumb";
  screen.unicode = std::string_view(nl_langinfo(CODESET)) == "UTF-8";
  screen.pager = has_pager_ && screen.terminal && !util::PagerCommand().empty();
  return screen;
}

void TerminalUi::Show(PagerUse pager,
                      const std::function<void(util::Sink&)>& write) {
  Flush();
  std::string problem;
  const bool shown =
      pager.wanted && util::RunPager(
                          util::WithHeader(util::PagerCommand(), pager.header),
                          [&](FILE* file) {
                            FileStreamSink sink(file, cancellation());
                            write(sink);
                          },
                          &problem);
  if (!shown) {
    AsIsSink sink(stdout_);
    write(sink);
    Flush();
  }
  if (!problem.empty()) {
    Error("tfprof: " + problem + "; set PAGER to another one, or to cat\n");
  }
}

absl::Status TerminalUi::CanBrowse() const { return tui::CheckTerminal(); }

absl::Status TerminalUi::Browse(const commands::Command& command,
                                const commands::Workspace& workspace) {
  absl::Status can = CanBrowse();
  if (!can.ok()) return can;
  Flush();
  const Screen here = screen();
  const options::ColorMode mode = command.options.color;
  return tui::BrowseOnTerminal(
      workspace, command.options,
      {.color = mode == options::ColorMode::kAlways ||
                (mode == options::ColorMode::kAuto && here.color),
       .unicode = here.unicode},
      cancellation());
}

void TerminalUi::Flush() { stdout_.Flush(); }

void TerminalUi::Error(std::string_view text) {
  // Keep the order of reports and messages on the screen.
  Flush();
  const std::string safe = util::SafeLines(text);
  fwrite(safe.data(), 1, safe.size(), stderr);
}

}  // namespace tfprof::shell
